package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.LogLines;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class ColdOutputTest {
  private static final String TOKEN = "5ec7e7";
  private final List<String> messages = new ArrayList<>();

  private ColdOutput output(LongSupplier nanos) {
    return new ColdOutput("a", TOKEN, messages::add, nanos);
  }

  private static void read(ColdOutput output, String text) {
    output.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void eachLineIsLoggedWithoutControlCharacters() {
    ColdOutput output = output(() -> 0);
    try (LogLines log = new LogLines(ColdOutput.class)) {
      read(output, "one\r\ntwo \u001b[31m\u202ered\tblue\nthe last has no end");
      assertEquals(List.of("Worker process a: one", "Worker process a: two \ufffd[31m\ufffdred blue",
        "Worker process a: the last has no end"), log.lines());
    }
    assertEquals("; its last output: one | two \ufffd[31m\ufffdred blue | the last has no end", output.last());
  }

  @Test
  void linesWithTokenAreMessagesAndOthersAreNot() {
    ColdOutput output = output(() -> 0);
    try (LogLines log = new LogLines(ColdOutput.class)) {
      read(output, "one\n\n" + TOKEN + "{\"x\":\t\"ü\"}\n" + "output without an end\n" + TOKEN + "{}\n{\"failed\": 1}\n " + TOKEN + "{}");
      assertEquals(List.of("{\"x\":\t\"ü\"}", "{}"), messages);
      assertEquals(List.of("one", "output without an end", "{\"failed\": 1}", ' ' + TOKEN + "{}"),
        log.lines().stream().map(line -> line.substring("Worker process a: ".length())).toList());
    }
  }

  @Test
  void messageIsLimited() {
    read(output(() -> 0), TOKEN + "x".repeat(ColdOutput.MAX_LINE) + '\n' + TOKEN + "x".repeat(ColdOutput.MAX_MESSAGE) + '\n');
    assertEquals(List.of(ColdOutput.MAX_LINE, ColdOutput.MAX_MESSAGE - TOKEN.length()), messages.stream().map(String::length).toList());
  }

  @Test
  void lineThatNeverEndsIsCut() {
    ColdOutput output = output(() -> 0);
    try (LogLines log = new LogLines(ColdOutput.class)) {
      read(output, "x".repeat(ColdOutput.MAX_LINE + 1_000_000));
      assertEquals(List.of("Worker process a: " + "x".repeat(ColdOutput.MAX_LINE) + "… (1000000 more characters)"), log.lines());
    }
    assertTrue(output.last().length() < 300, output.last());
  }

  @Test
  void linesOfASecondAreLimited() {
    AtomicLong now = new AtomicLong();
    ColdOutput output = output(now::get);
    try (LogLines log = new LogLines(ColdOutput.class)) {
      read(output, "line\n".repeat(ColdOutput.MAX_LINES + 7));
      assertEquals(ColdOutput.MAX_LINES + 1, log.lines().size());
      assertEquals(List.of("Worker process a prints more than " + ColdOutput.MAX_LINES + " lines in a second: 7 were dropped"),
        log.warnings());
      now.addAndGet(TimeUnit.SECONDS.toNanos(1));
      read(output, "later\n");
      assertEquals("Worker process a: later", log.lines().getLast());
    }
  }

  @Test
  void remedyForMissingThreadsPrecedesTheOutput() {
    ColdOutput output = output(() -> 0);
    read(output, "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory\n" + "\tat a stack\n".repeat(20));
    assertEquals(". Raise the limit of threads with 'ulimit -u', TasksMax= of a systemd unit or --pids-limit of a container."
      + " Its last output: " + String.join(" | ", Collections.nCopies(5, " at a stack")), output.last());
  }

  @Test
  void withoutOutputThereIsNoPartOfAMessage() {
    assertEquals("", output(() -> 0).last());
  }
}
