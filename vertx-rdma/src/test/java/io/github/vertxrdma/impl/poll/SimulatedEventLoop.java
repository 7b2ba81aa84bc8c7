package io.github.vertxrdma.impl.poll;

import java.util.ArrayDeque;
import java.util.Deque;

/** An event loop in virtual time, which handles messages and otherwise does what its policy says. */
final class SimulatedEventLoop extends SimulatedMachine.Task {
  /** Nanoseconds of processor time of four polls, of going to sleep, and of waking up, with their system calls. */
  private static final long POLLS = 800;
  private static final long FALL_ASLEEP = 2_000;
  private static final long WAKE_UP = 3_000;
  private static final long YIELD = 400;
  /** Polls without a result are simulated in larger steps after this time. */
  private static final long LONG = 50_000;
  private static final long LONG_STEP = 20_000;
  private static final int STAY = 64;
  private static final int BATCH = 16;

  private final SimulatedMachine machine;
  private final PollPolicy policy;
  private final Deque<Runnable> inbox = new ArrayDeque<>();
  private long workNanos;
  private long events;
  private boolean polling;
  private boolean asleep = true;
  private int stay;
  private long idleSince;

  SimulatedEventLoop(SimulatedMachine machine, PollPolicy policy) {
    this.machine = machine;
    this.policy = policy;
  }

  void work(long nanos) {
    workNanos = nanos;
  }

  void start() {
    machine.wake(this);
  }

  void message(Runnable handler) {
    inbox.add(handler);
    if (asleep) {
      machine.wake(this);
    }
  }

  @Override
  long step(long now) {
    end = SimulatedMachine.End.RUNS;
    if (asleep) {
      asleep = false;
      policy.afterSleep(now);
      return WAKE_UP;
    }
    if (!inbox.isEmpty()) {
      return handle(now);
    }
    if (polling) {
      return poll(now);
    }
    if (policy.startPolling(now, events, false)) {
      polling = true;
      stay = STAY;
      return POLLS;
    }
    return sleep(now);
  }

  private long handle(long now) {
    int count = Math.min(inbox.size(), BATCH);
    long took = count * workNanos;
    for (int i = 0; i < count; i++) {
      Runnable handler = inbox.poll();
      machine.at(now + (i + 1) * workNanos, handler);
    }
    events += count;
    idleSince = now + took;
    if (polling && --stay == 0) {
      polling = false;
      policy.stopPolling(now);
    }
    return took;
  }

  private long poll(long now) {
    switch (policy.next(now, events)) {
      case POLL -> {}
      case YIELD -> {
        end = SimulatedMachine.End.YIELDS;
        return now - idleSince > LONG ? LONG_STEP : POLLS + YIELD;
      }
      case SLEEP -> {
        polling = false;
        policy.stopPolling(now);
        return sleep(now);
      }
    }
    return POLLS;
  }

  private long sleep(long now) {
    asleep = true;
    policy.beforeSleep(now);
    end = SimulatedMachine.End.SLEEPS;
    return FALL_ASLEEP;
  }
}
