package io.github.vertxrdma.differential;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * The lines that a program writes to its standard output. Each is one write(2), so that no line is lost when the process halts:
 *
 * <ul>
 * <li>{@code +ROW NUMBER}: the write of a message has completed
 * <li>{@code -ROW NUMBER CAUSE}: it has failed
 * <li>{@code !ROW EVENT}: a handler was called
 * <li>{@code log LEVEL LOGGER MESSAGE}: a record was logged
 * <li>{@code =WORD JSON}: answer to a command
 * </ul>
 */
final class Output {
  private static final FileOutputStream OUT = new FileOutputStream(FileDescriptor.out);

  private Output() {
  }

  static void line(String line) {
    byte[] bytes = (line.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8);
    synchronized (OUT) {
      try {
        OUT.write(bytes);
      } catch (IOException e) {
        Runtime.getRuntime().halt(77); // the controlling process has ended
      }
    }
  }

  /** Writes records of level INFO and above. */
  static void logs() {
    Logger root = Logger.getLogger("");
    for (Handler handler : root.getHandlers()) {
      root.removeHandler(handler);
    }
    root.addHandler(new Handler() {
      private final SimpleFormatter formatter = new SimpleFormatter();

      @Override
      public void publish(LogRecord entry) {
        if (entry.getLevel().intValue() >= Level.INFO.intValue()) {
          Throwable cause = entry.getThrown();
          line("log " + entry.getLevel().getName() + ' ' + entry.getLoggerName() + ' ' + formatter.formatMessage(entry)
            + (cause == null ? "" : " " + cause));
        }
      }

      @Override
      public void flush() {
        // The output is not buffered.
      }

      @Override
      public void close() {
        // The stream belongs to the process, and stays open.
      }
    });
  }
}
