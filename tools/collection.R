# inst/collection/hashes: the hashes of the script and the style of the collection page, which its content
# security policy allows to run. Run in the package's root, after make install: Rscript tools/collection.R

# SHA-256 in base 64, as a content security policy has it; openssl computes it.
hash <- function(text) {
  file <- tempfile()
  on.exit(unlink(file))
  writeLines(enc2utf8(text), file, sep = "", useBytes = TRUE)
  digest <- system2("openssl", c("dgst", "-sha256", "-r", file), stdout = TRUE)
  bytes <- strtoi(substring(digest, seq(1, 63, 2), seq(2, 64, 2)), 16)
  paste0("sha256-", jsonlite::base64_enc(as.raw(bytes)))
}

parts <- asNamespace("ldpcounts")
hashes <- rbind(c(script = hash(parts$page_script()), style = hash(parts$page_style())))
write.dcf(hashes, "inst/collection/hashes", width = 200)
