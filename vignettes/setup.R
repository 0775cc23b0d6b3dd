# What all vignettes share. A chunk with the option fold = "..." shows its code when that text is clicked. Figures
# fill the width of the text (700 pixels), so that figures 7 inches wide have letters as large as the text; they have
# more dots than pixels, for fine screens and for print.
knitr::opts_chunk$set(
  collapse = TRUE, comment = "#>", dpi = 120, fig.width = 7, fig.height = 3.6, fig.show = "hold",
  fig.retina = 1, out.width = "100%"
)
options(width = 76)
# Vignettes are built two at a time, on machines with other work too: threads that wait for a core waste time.
# Results do not depend on the number of threads.
ldpcounts::ldp_threads(1)
knitr::opts_hooks$set(fold = function(options) {
  options$collapse <- FALSE
  options
})
knitr::knit_hooks$set(
  source = local({
    unfolded <- knitr::knit_hooks$get("source")
    function(x, options) {
      code <- unfolded(x, options)
      if (is.null(options$fold)) {
        return(code)
      }
      paste0("\n<details><summary>", options$fold, "</summary>\n\n", code, "\n\n</details>\n\n")
    }
  }),
  # long lines of code are wrapped, and figures end where the text ends
  document = function(x) {
    wrapped <- "pre, pre > code.sourceCode { white-space: pre-wrap !important; }"
    fitted <- "#content img, body img { box-sizing: border-box; margin: 0; }"
    c(x, "", "<style>", wrapped, fitted, "</style>", "")
  },
  margins = function(before, options, envir) {
    if (before) graphics::par(mar = c(4, 4, 2, 1))
  }
)
# Figures with few colours, and without grids and boxes, make smaller files: an installed package of more than
# 5 MB gets a note of R CMD check.
if (nzchar(Sys.which("pngquant"))) {
  knitr::knit_hooks$set(pngquant = knitr::hook_pngquant)
  knitr::opts_chunk$set(pngquant = "--speed=1 --nofs 32")
}
ggplot2::theme_set(
  ggplot2::theme_classic(base_size = 13) + ggplot2::theme(strip.background = ggplot2::element_blank())
)
