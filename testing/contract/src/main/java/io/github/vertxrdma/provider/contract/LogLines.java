package io.github.vertxrdma.provider.contract;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Filter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;

/** Records the log messages of a class, which are not printed, or of a package and those in it, which are. */
public final class LogLines implements AutoCloseable {
  /** Strong reference, because a garbage-collected logger loses its filter and level. */
  private final Logger log;
  private final Filter before;
  private final Level levelBefore;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final List<String> warnings = new CopyOnWriteArrayList<>();
  /** Gets the messages of loggers below this one, which its filter does not. */
  private final Handler below = new StreamHandler() {
    @Override
    public void publish(LogRecord line) {
      record(line);
    }
  };

  public LogLines(Class<?> of) {
    this(of.getName());
  }

  public LogLines(String of) {
    log = Logger.getLogger(of);
    before = log.getFilter();
    levelBefore = log.getLevel();
    log.setLevel(Level.INFO);
    log.setFilter(line -> {
      record(line);
      return false;
    });
    log.addHandler(below);
  }

  private void record(LogRecord line) {
    if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
      warnings.add(line.getMessage());
    }
    lines.add(line.getMessage());
  }

  public List<String> lines() {
    return lines;
  }

  public List<String> warnings() {
    return warnings;
  }

  @Override
  public void close() {
    log.removeHandler(below);
    log.setFilter(before);
    log.setLevel(levelBefore);
  }
}
