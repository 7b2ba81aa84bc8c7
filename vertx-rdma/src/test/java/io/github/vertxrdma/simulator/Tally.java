package io.github.vertxrdma.simulator;

import java.util.EnumMap;
import java.util.Map;
import java.util.stream.LongStream;

/** Sums of many conversations. */
final class Tally {
  final Cells cells = new Cells();
  private final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
  private long conversations;
  private long events;
  private long messages;

  /** Runs conversations of so many seeds in a row. @throws AssertionError with the first that failed, and how it is repeated */
  static Tally of(long first, long count) {
    Tally tally = new Tally();
    (Runtime.getRuntime().availableProcessors() > 1 ? LongStream.range(first, first + count).parallel() : LongStream.range(first, first + count))
      .forEach(seed -> tally.add(run(seed)));
    return tally;
  }

  /** Runs the conversation of a seed. */
  static Conversation run(long seed) {
    return Simulation.run(seed, Conversation::new);
  }

  private synchronized void add(Conversation conversation) {
    conversations++;
    events += conversation.trace.events();
    messages += conversation.messages;
    cells.add(conversation.cells);
    conversation.faults.forEach((fault, count) -> faults.merge(fault, count, Long::sum));
  }

  @Override
  public String toString() {
    return conversations + " conversations, " + events + " events, " + messages + " messages, " + cells.count() + " cells reached\nfaults "
      + faults + '\n' + cells;
  }
}
