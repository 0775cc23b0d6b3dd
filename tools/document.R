# man/ and NAMESPACE from the roxygen comments, and codemeta.json. Run in the package's root, after make
# install: Rscript tools/document.R

source("vignettes/table.R") # R/doc-package.R has this table
roxygen2::roxygenise(load_code = "installed")
source("tools/codemeta.R")

readme <- readLines("README.md")
ends <- grep("^<!-- (end of )?vignettes", readme)
writeLines(c(readme[seq_len(ends[1])], vignette_table("vignettes"), readme[seq(ends[2], length(readme))]), "README.md")
