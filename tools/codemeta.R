# codemeta.json from DESCRIPTION and inst/CITATION's paper: the package for machines
# (codemeta.github.io). Part of make document. Run in the package's root: Rscript tools/codemeta.R

description <- as.list(read.dcf("DESCRIPTION", keep.white = "Description")[1, ])
paper <- utils::readCitationFile("inst/CITATION", meta = description)[1]
people <- eval(parse(text = description[["Authors@R"]]))

packages_in <- function(fields) {
  entries <- trimws(unlist(strsplit(unlist(description[fields], use.names = FALSE), ",")))
  lapply(entries[nzchar(entries)], function(entry) {
    name <- sub("[ (].*", "", entry)
    version <- if (grepl("(", entry, fixed = TRUE)) gsub(".*\\(|\\)", "", entry)
    c(
      list("@type" = "SoftwareApplication", identifier = name, name = name),
      list(version = version)[!is.null(version)]
    )
  })
}

with_role <- function(role) {
  lapply(people[vapply(people, function(p) role %in% p$role, TRUE)], function(p) {
    list("@type" = "Organization", name = format(p, include = "given"), email = p$email)
  })
}

codemeta <- list(
  "@context" = "https://doi.org/10.5063/schema/codemeta-2.0",
  "@type" = "SoftwareSourceCode",
  identifier = description$Package,
  name = paste0(description$Package, ": ", description$Title),
  description = gsub("\\s+", " ", description$Description),
  version = description$Version,
  license = "https://spdx.org/licenses/GPL-3.0-only",
  relatedLink = description$URL,
  programmingLanguage = list("@type" = "ComputerLanguage", name = "R", url = "https://r-project.org"),
  author = with_role("aut"),
  maintainer = with_role("cre"),
  copyrightHolder = with_role("cph"),
  softwareRequirements = packages_in(c("Depends", "Imports")),
  softwareSuggestions = packages_in("Suggests"),
  referencePublication = list(
    "@type" = "ScholarlyArticle",
    name = gsub("[{}]", "", paper$title), datePublished = paper$year, url = paper$url
  )
)
jsonlite::write_json(codemeta, "codemeta.json", auto_unbox = TRUE, pretty = TRUE)
