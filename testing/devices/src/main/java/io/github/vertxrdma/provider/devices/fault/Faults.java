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
 * Faults of a {@link FaultyDevice}. Rules apply to all domains of the device, from the next operation on. Any thread may set them. On one
 * thread a seed repeats the same delays in the same order.
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
  /** Number of calls of {@link #failPolls}. */
  private int pollRounds;

  /** A rule for the next completions of an operation: they get a status, or are dropped. */
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

  /** The answer for a completion that is delivered unchanged. */
  static final int AS_IT_IS = Integer.MIN_VALUE;
  /** The answer for a completion that is not delivered. */
  static final int DROPPED = Integer.MIN_VALUE + 1;

  Faults(long seed) {
    this.seed = seed;
    random = new Random(seed);
  }

  /**
   * Holds completions back, and with them later completions of the same endpoint.
   *
   * @param probability the probability of each completion to be held back, 0 … 1
   * @param polls the most polls for which a completion is held back
   */
  public synchronized Faults delayCompletions(double probability, int polls) {
    delayProbability = probability;
    delayPolls = polls;
    return this;
  }

  /** Drops the next completions of an operation. The work is done or not, and the application is not notified. */
  public synchronized Faults dropCompletions(Operation operation, int number) {
    rules.add(new Rule(operation, DROPPED, number));
    return this;
  }

  /** Delivers the next completions of an operation as errors, which break the connection. @param status a positive {@link Status} */
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

  /** Refuses the next sends, writes, reads and atomics with {@link Status#AGAIN}. */
  public synchronized Faults refusePosts(int number) {
    posts = number;
    return this;
  }

  /** Drops the next receives, whose posts return OK. An application that grants credits for them grants too many. */
  public synchronized Faults swallowReceives(int number) {
    receives = number;
    return this;
  }

  /** Lets the next polls of each queue that exists now throw an exception. */
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
   * Lets the peer of an endpoint fall silent, as a peer that was killed on a fabric that does not report it. Messages and completions of
   * the endpoint are no longer delivered, posts are accepted and lost, and no disconnect is reported.
   */
  public Faults silence(Endpoint endpoint) {
    silent.add(endpoint);
    count("silenced");
    return this;
  }

  /** Ends all faults. Silent peers stay silent. */
  public synchronized Faults calm() {
    rules.clear();
    delayProbability = 0;
    registrations = 0;
    posts = 0;
    receives = 0;
    return this;
  }

  /** Returns the numbers of faults so far, by kind. */
  public synchronized Map<String, Long> injected() {
    return Map.copyOf(injected);
  }

  // For the device

  private synchronized void count(String what) {
    injected.merge(what, 1L, Long::sum);
  }

  boolean silent(Endpoint endpoint) {
    return endpoint != null && !silent.isEmpty() && silent.contains(endpoint);
  }

  void forget(Endpoint endpoint) {
    silent.remove(endpoint);
  }

  /** Returns the number of polls for which a completion is held back. 0 for none. */
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
