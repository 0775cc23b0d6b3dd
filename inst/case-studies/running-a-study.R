# The study of vignette("running-a-study"): 300 simulated participants report how often they used each of 20 services
# of a town in the last month. They enter their counts on the page that collection_page() writes, in headless Chromium
# (running-a-study.js), so each release has the noise that the page drew from the browser's secure source. A repeated
# run therefore has the same true counts, but other noise. Needs Node, Chromium and ChromeDriver, which
# `make deps` installs.
#
# Each participant belongs mostly to one of three kinds of users, and the age group makes some kinds more likely.
# The result has one row per participant: the label, the age group, the text of the release file, and the true
# counts, separated by commas. A real study does not have the latter; the vignette uses them for one
# comparison at the end.

settings <- list(
  seed = 4100, people = 300, epsilon = 1, precision = 2,
  kinds = list(
    families = c("playground", "day care", "school event", "swimming pool", "library", "park"),
    commuters = c("train", "bus", "cycle path", "gym", "restaurant", "cinema"),
    retired = c("doctor", "pharmacy", "church", "allotment", "choir", "market")
  ),
  everyone = c("supermarket", "town hall"),
  age = c("under 40" = 0.35, "40 to 64" = 0.4, "65 or older" = 0.25)
)

units <- data.frame(repetition = 1, study = "services", stringsAsFactors = FALSE)

run_unit <- function(unit, settings) {
  people <- simulate_people(settings)
  items <- colnames(people$y)
  folder <- tempfile("study")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  page <- file.path(folder, "page.html")
  ldpcounts::collection_page(items, settings$epsilon, settings$precision, page, title = "Services of our town")
  counts <- file.path(folder, "counts.json")
  jsonlite::write_json(lapply(seq_len(nrow(people$y)), function(i) people$y[i, ]), counts)
  driver <- c("inst/case-studies/running-a-study.js", file.path(folder, "browser"), page, counts)
  texts <- jsonlite::fromJSON(system2("node", shQuote(driver), stdout = TRUE))
  data.frame(
    participant = sprintf("p%03d", seq_along(texts)), age = people$age, text = texts,
    true_counts = apply(people$y, 1, paste, collapse = ",")
  )
}

simulate_people <- function(settings) {
  items <- c(unlist(settings$kinds, use.names = FALSE), settings$everyone)
  use <- t(vapply(settings$kinds, function(own) {
    weight <- ifelse(items %in% own, 1, ifelse(items %in% settings$everyone, 0.5, 0.05))
    weight / sum(weight)
  }, numeric(length(items))))
  n <- settings$people
  age <- sample(names(settings$age), n, TRUE, settings$age)
  # how likely people of an age are to belong to each kind
  likely <- rbind("under 40" = c(2, 2, 0.2), "40 to 64" = c(1, 2, 0.8), "65 or older" = c(0.3, 0.3, 3))
  belongs <- matrix(stats::rgamma(3 * n, 0.5 * likely[age, ]), n)
  visits <- stats::rgamma(n, 8, 8 / 40)
  mu <- (belongs / rowSums(belongs) * visits) %*% use
  y <- matrix(stats::rpois(length(mu), mu), n, dimnames = list(NULL, items))
  list(y = y, age = age)
}
