# What learnr calls after it has run the answer to an exercise. The chunk LABEL-check is run where the
# objects of the answer are. There, `answer` is the last value of the answer, and near() says whether it is
# near a number (or vector). The chunk has stopifnot(), with explanations of wrong answers as names, and
# then what to say of a right answer.
check_answer <- function(check_code, envir_result, last_value, ...) {
  near <- function(x) {
    is.numeric(last_value) && length(last_value) == length(x) &&
      isTRUE(all(abs(last_value - x) <= 0.005 * max(abs(x))))
  }
  here <- list2env(list(answer = last_value, near = near), parent = envir_result)
  tryCatch(
    list(correct = TRUE, message = eval(parse(text = check_code), here)),
    error = function(wrong) list(correct = FALSE, message = conditionMessage(wrong))
  )
}
