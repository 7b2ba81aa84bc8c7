package io.github.vertxrdma.provider.contract;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Records the lines that a class of the product logs, until the recorder is closed. The lines do not appear on the console. */
public final class LogLines implements AutoCloseable {
  /** Held, since a logger that is garbage collected loses its filter and level. */
  private final Logger log;
  private final Filter before;
  private final Level levelBefore;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final List<String> warnings = new CopyOnWriteArrayList<>();

  public LogLines(Class<?> of) {
    this(of.getName());
  }

  /** @param of the full name of a class that is not visible here */
  public LogLines(String of) {
    log = Logger.getLogger(of);
    before = log.getFilter();
    // Simulations switch some loggers off, in the same process.
    levelBefore = log.getLevel();
    log.setLevel(Level.INFO);
    log.setFilter(line -> {
      if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
        warnings.add(line.getMessage());
      }
      return !lines.add(line.getMessage());
    });
  }

  /** Returns the lines so far. More may be added. */
  public List<String> lines() {
    return lines;
  }

  /** Returns the lines so far of level WARNING and above. More may be added. */
  public List<String> warnings() {
    return warnings;
  }

  @Override
  public void close() {
    log.setFilter(before);
    log.setLevel(levelBefore);
  }
}
