package io.github.vertxrdma.provider.devices.fault;

import io.github.vertxrdma.provider.Status;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Controls the faults of a {@link FaultyDevice}, in all its domains from the next operation on. Thread-safe. Equal seeds cause equal delays
 * if one thread polls.
 */
public final class Faults {
  private final long seed;
  private final Random random;
  private final Map<String, Long> injected = new TreeMap<>();
  private double delayProbability;
  private int delayPolls;
  private int registrations;
  private int posts;
  private int failingPolls;
  private int pollRounds;

  Faults(long seed) {
    this.seed = seed;
    random = new Random(seed);
  }

  /**
   * Delays completions. Later completions of the same endpoint wait behind a delayed one.
   *
   * @param probability of a delay for each completion, 0 … 1
   * @param polls maximum delay, as a number of polls
   */
  public synchronized Faults delayCompletions(double probability, int polls) {
    delayProbability = probability;
    delayPolls = polls;
    return this;
  }

  /** Fails the next registrations with {@code LIMIT}. */
  public synchronized Faults refuseRegistrations(int number) {
    registrations = number;
    return this;
  }

  /** Refuses posts other than receives with {@link Status#AGAIN}. */
  public synchronized Faults refusePosts(int number) {
    posts = number;
    return this;
  }

  public synchronized Faults failPolls(int number) {
    failingPolls = number;
    pollRounds++;
    return this;
  }

  synchronized int pollRounds() {
    return pollRounds;
  }

  synchronized int failingPolls() {
    return failingPolls;
  }

  /** Ends all faults, except failing polls. */
  public synchronized Faults calm() {
    delayProbability = 0;
    registrations = 0;
    posts = 0;
    return this;
  }

  public synchronized Map<String, Long> injected() {
    return Map.copyOf(injected);
  }

  private void count(String what) {
    injected.merge(what, 1L, Long::sum);
  }

  /** Returns the number of polls by which a completion is delayed, or 0. */
  synchronized int delay() {
    if (delayProbability == 0 || random.nextDouble() >= delayProbability) {
      return 0;
    }
    count("delayed");
    return 1 + random.nextInt(delayPolls);
  }

  synchronized boolean refusesRegistration() {
    return registrations > 0 && counted("registration refused", registrations--);
  }

  synchronized boolean refusesPost() {
    return posts > 0 && counted("post refused", posts--);
  }

  private boolean counted(String what, int left) {
    count(what);
    return left > 0;
  }

  @Override
  public synchronized String toString() {
    return "seed " + seed + ", injected " + injected;
  }
}
