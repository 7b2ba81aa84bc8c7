package io.github.vertxrdma.provider.contract;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Lines that a class of the product logs, until this is closed; the console has them not. */
public final class LogLines implements AutoCloseable {
  /** Loggers that nobody holds are forgotten, and what was set with them. */
  private final Logger log;
  private final Filter before;
  private final Level levelBefore;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final List<String> warnings = new CopyOnWriteArrayList<>();

  public LogLines(Class<?> of) {
    this(of.getName());
  }

  /** @param of full name of a class that this package does not see */
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

  /** All so far; more may be added. */
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
