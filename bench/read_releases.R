# Reads 10,000 release files of one row and 50 items (?read_releases), and compares the result with rbind() of
# read_release(). Run in the package's root: Rscript bench/read_releases.R

library(ldpcounts)

rows <- 10000
items <- paste("item", 1:50)
folder <- tempfile("releases")
dir.create(folder)
set.seed(1)
y <- matrix(rpois(rows * length(items), 0.5), rows, dimnames = list(NULL, items))
x <- privatize(y, epsilon = round(runif(rows, 1, 3), 2))
# write_release() explains the privacy of each file, so one call per file would take minutes here
template <- tempfile()
write_release(x[1, ], template)
head <- readLines(template)
head <- head[seq_len(grep("^cells: ", head) - 1)]
files <- file.path(folder, sprintf("p%05d.txt", seq_len(rows)))
counts <- as.matrix(x)
alpha <- privacy(x)$alpha
epsilon <- privacy(x)$epsilon
s <- unclass(x)$s
t <- unclass(x)$t
for (i in seq_len(rows)) {
  level <- c(
    alpha = sprintf("%.17g", alpha[i]), epsilon = sprintf("%.17g", epsilon[i]), s = sprintf("%.0f", s[i]),
    t = sprintf("%.0f", t[i])
  )
  own <- head
  own[match(paste0(names(level), ":"), sub(" .*", "", head))] <- paste0(names(level), ": ", level)
  at <- which(counts[i, ] != 0)
  writeLines(c(own, paste("cells:", length(at)), paste(1, at, counts[i, at]), "end"), files[i])
}

cat("read_releases():\n")
print(system.time(many <- read_releases(folder)))
cat("rbind() of read_release():\n")
print(system.time(one_by_one <- do.call(rbind, lapply(files, read_release))))
rownames(many) <- NULL
attributes(many)[c("problems", "missing")] <- NULL
stopifnot(identical(many, one_by_one))
unlink(folder, recursive = TRUE)
