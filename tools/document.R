# man/ and NAMESPACE from the roxygen comments, and codemeta.json. Run in the package's root, after make
# install: Rscript tools/document.R

# @srrstats {G1.0} says where a standard of rOpenSci's statistical software is met (?srr::srr_stats_roclet);
# such tags leave no trace in the help pages, and roxygen2 must not warn of them.
for (tag in c("srrstats", "srrstatsNA")) {
  registerS3method("roxy_tag_parse", paste0("roxy_tag_", tag), function(x) x, asNamespace("roxygen2"))
}
source("vignettes/table.R") # R/doc-package.R has this table
roxygen2::roxygenise(load_code = "installed")
source("tools/codemeta.R")

readme <- readLines("README.md")
ends <- grep("^<!-- (end of )?vignettes", readme)
writeLines(c(readme[seq_len(ends[1])], vignette_table("vignettes"), readme[seq(ends[2], length(readme))]), "README.md")
