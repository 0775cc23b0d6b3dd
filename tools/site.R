# The package's site in build/site, from _pkgdown.yml, man/, README.md and vignettes/: every exported
# topic must be in the reference index. Nothing is fetched. Run in the package's root, after make
# install: Rscript tools/site.R

options(pkgdown.internet = FALSE)
pkgdown::build_site(
  override = list(destination = "build/site"), install = FALSE, new_process = FALSE, preview = FALSE,
  devel = FALSE
)
