package io.github.vertxrdma.provider.contract;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Records the log messages of a class and keeps them from being printed. */
public final class LogLines implements AutoCloseable {
  /** Strong reference, because a garbage-collected logger loses its filter and level. */
  private final Logger log;
  private final Filter before;
  private final Level levelBefore;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final List<String> warnings = new CopyOnWriteArrayList<>();

  public LogLines(Class<?> of) {
    this(of.getName());
  }

  public LogLines(String of) {
    log = Logger.getLogger(of);
    before = log.getFilter();
    levelBefore = log.getLevel();
    log.setLevel(Level.INFO);
    log.setFilter(line -> {
      if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
        warnings.add(line.getMessage());
      }
      return !lines.add(line.getMessage());
    });
  }

  public List<String> lines() {
    return lines;
  }

  public List<String> warnings() {
    return warnings;
  }

  @Override
  public void close() {
    log.setFilter(before);
    log.setLevel(levelBefore);
  }
}
