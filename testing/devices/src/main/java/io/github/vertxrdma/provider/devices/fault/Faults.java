package io.github.vertxrdma.provider.devices.fault;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sets the faults of a {@link FaultyDevice}. They apply to all its domains, from the next operation on. Thread-safe. If one thread polls,
 * equal seeds cause equal delays.
 */
public final class Faults {
  private final long seed;
  private final Random random;
  private final List<Rule> rules = new ArrayList<>();
  private final Set<Endpoint> silent = ConcurrentHashMap.newKeySet();
  private final Map<String, Long> injected = new TreeMap<>();
  private double delayProbability;
  private int delayPolls;
  private int registrations;
  private int posts;
  private int receives;
  private int failingPolls;
  private int pollRounds;

  private static final class Rule {
    final Operation operation;
    final int status;
    int left;

    Rule(Operation operation, int status, int left) {
      this.operation = operation;
      this.status = status;
      this.left = left;
    }
  }

  static final int AS_IT_IS = Integer.MIN_VALUE;
  static final int DROPPED = Integer.MIN_VALUE + 1;

  Faults(long seed) {
    this.seed = seed;
    random = new Random(seed);
  }

  /**
   * Delays completions, with the later ones of the same endpoint.
   *
   * @param probability of a delay for each completion, 0 … 1
   * @param polls maximum delay, as a number of polls
   */
  public synchronized Faults delayCompletions(double probability, int polls) {
    delayProbability = probability;
    delayPolls = polls;
    return this;
  }

  public synchronized Faults dropCompletions(Operation operation, int number) {
    rules.add(new Rule(operation, DROPPED, number));
    return this;
  }

  /**
   * Turns the next completions of an operation into errors, which break the connection.
   *
   * @param status a positive {@link Status}
   */
  public synchronized Faults failCompletions(Operation operation, int number, int status) {
    if (status <= Status.OK) {
      throw new IllegalArgumentException("not the status of a failed completion: " + Status.name(status));
    }
    rules.add(new Rule(operation, status, number));
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

  /** Drops the next receives, whose posts return OK. An application that grants credits for them grants too many. */
  public synchronized Faults swallowReceives(int number) {
    receives = number;
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

  /**
   * Makes a peer silent, like a killed peer on a fabric that does not report its end: nothing is delivered, posts are lost, and no
   * disconnect is reported.
   */
  public Faults silence(Endpoint endpoint) {
    silent.add(endpoint);
    count("silenced");
    return this;
  }

  /** Ends all faults, except that silent peers stay silent. */
  public synchronized Faults calm() {
    rules.clear();
    delayProbability = 0;
    registrations = 0;
    posts = 0;
    receives = 0;
    return this;
  }

  public synchronized Map<String, Long> injected() {
    return Map.copyOf(injected);
  }

  private synchronized void count(String what) {
    injected.merge(what, 1L, Long::sum);
  }

  boolean silent(Endpoint endpoint) {
    return endpoint != null && !silent.isEmpty() && silent.contains(endpoint);
  }

  void forget(Endpoint endpoint) {
    silent.remove(endpoint);
  }

  /** Returns the number of polls by which a completion is delayed, or 0. */
  synchronized int delay() {
    if (delayProbability == 0 || random.nextDouble() >= delayProbability) {
      return 0;
    }
    count("delayed");
    return 1 + random.nextInt(delayPolls);
  }

  /** Returns the status to deliver, {@link #DROPPED} or {@link #AS_IT_IS}. */
  synchronized int answer(Operation operation) {
    for (Iterator<Rule> it = rules.iterator(); it.hasNext();) {
      Rule rule = it.next();
      if (rule.operation == operation) {
        if (--rule.left == 0) {
          it.remove();
        }
        count(rule.status == DROPPED ? "dropped" : "failed");
        return rule.status;
      }
    }
    return AS_IT_IS;
  }

  synchronized boolean refusesRegistration() {
    return registrations > 0 && counted("registration refused", registrations--);
  }

  synchronized boolean refusesPost() {
    return posts > 0 && counted("post refused", posts--);
  }

  synchronized boolean swallowsReceive() {
    return receives > 0 && counted("receive swallowed", receives--);
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
