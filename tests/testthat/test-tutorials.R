# The exercises of the tutorials: the solution is accepted, and each typical wrong answer (chunk LABEL-tests)
# is explained. First as learnr runs them, without learnr; then in a browser.

TUTORIALS <- c("noise", "undoing-noise", "communities-and-topics")

# The objects of the setup chunk.
set_up <- function(chunks) {
  here <- new.env(parent = globalenv())
  code <- grep("^library\\(|^tutorial_options|^knitr", chunks$setup, value = TRUE, invert = TRUE)
  eval(parse(text = code), here)
  here
}

# The run of this solution takes long; its result is `fit` of the setup chunk.
solution_of <- function(chunks, exercise) {
  if (exercise == "trust" && !EXTENDED) "fit" else chunks[[paste0(exercise, "-solution")]]
}

feedback <- function(answer, check, set_up) {
  here <- new.env(parent = set_up)
  utils::capture.output(value <- eval(parse(text = answer), here), type = "output")
  set_up$check_answer(check_code = check, envir_result = here, last_value = value)
}

for (name in TUTORIALS) {
  test_that(paste0("in the tutorial ", name, " right answers pass, and wrong ones are explained"), {
    chunks <- tutorial_chunks(name)
    set_up <- set_up(chunks)
    exercises <- tutorial_exercises(chunks)
    expect_gte(length(exercises), 7)
    for (exercise in exercises) {
      check <- chunks[[paste0(exercise, "-check")]]
      right <- feedback(solution_of(chunks, exercise), check, set_up)
      expect_true(right$correct, info = paste(exercise, right$message))
      expect_match(right$message, "^[A-Z].*[.?]$", info = exercise)
      wrong <- wrong_answers(chunks[[paste0(exercise, "-tests")]])
      expect_gte(length(wrong), 2)
      for (explained in names(wrong)) {
        found <- feedback(wrong[[explained]], check, set_up)
        expect_false(found$correct, info = exercise)
        expect_match(found$message, explained, fixed = TRUE, info = exercise)
      }
      # what is no answer at all is refused too, with words of the exercise
      for (answer in c("NULL", "'a'", "sum", "NA", "numeric()")) {
        found <- feedback(answer, check, set_up)
        expect_false(found$correct, info = paste(exercise, answer))
        expect_true(grepl(found$message, paste(gsub("\\\"", "\"", check, fixed = TRUE), collapse = "\n"),
          fixed = TRUE
        ), info = paste(exercise, answer, found$message))
      }
    }
  })
}

# Of each exercise the solution, and the first wrong answer.
answers_of <- function(chunks) {
  exercises <- tutorial_exercises(chunks)
  right <- vapply(exercises, function(exercise) {
    paste(chunks[[paste0(exercise, "-solution")]], collapse = "\n")
  }, "")
  wrong <- lapply(exercises, function(exercise) wrong_answers(chunks[[paste0(exercise, "-tests")]])[1])
  data.frame(
    label = rep(exercises, 2), code = c(right, unlist(wrong)),
    correct = rep(c(TRUE, FALSE), each = length(right)),
    explained = c(rep("", length(right)), vapply(wrong, names, ""))
  )
}

for (name in TUTORIALS) {
  test_that(paste0("in a browser the exercises of ", name, " answer what the checker says"), {
    extended_only()
    skip_without_browser()
    skip_if_not_installed("learnr")
    folder <- tempfile("tutorial")
    dir.create(folder)
    file.copy(system.file("tutorials", name, paste0(name, ".Rmd"), package = "ldpcounts"), folder)
    answers <- answers_of(tutorial_chunks(name))
    file <- file.path(folder, "answers.json")
    writeLines(jsonlite::toJSON(answers[c("label", "code")]), file)
    seen <- jsonlite::fromJSON(run_lines("node", c(test_path("tutorials", "answer.js"), folder,
      file.path(R.home("bin"), "Rscript"), file.path(folder, paste0(name, ".Rmd")), file
    )))
    expect_identical(seen$label, answers$label)
    expect_identical(seen$correct, answers$correct)
    expect_true(all(mapply(grepl, answers$explained, seen$message, fixed = TRUE)))
  })
}
