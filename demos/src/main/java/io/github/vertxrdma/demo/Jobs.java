package io.github.vertxrdma.demo;

import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Jobs of one bus: gives them out, and posts those again whose worker does not come back. On its event loop. */
final class Jobs {
  private final String bus;
  private final int jobs;
  private final Predicate<String> allHere;
  private final Runnable half;
  private final Runnable over;
  private final ArrayDeque<Integer> posted = new ArrayDeque<>();
  private final Map<Integer, Long> taken = new HashMap<>();
  private final BitSet done = new BitSet();
  private final Map<String, Integer> by = new TreeMap<>();
  private int again;
  private boolean anew;

  /**
   * @param bus what it goes over, for people
   * @param allHere whether all workers are here, now that this one is
   * @param half told when half of the jobs are done
   * @param over told when all are
   */
  Jobs(String bus, int jobs, Predicate<String> allHere, Runnable half, Runnable over) {
    this.bus = bus;
    this.jobs = jobs;
    this.allHere = allHere;
    this.half = half;
    this.over = over;
    post();
  }

  private void post() {
    done.clear();
    for (int job = 0; job < jobs; job++) {
      posted.add(job);
    }
  }

  /** From now on. */
  synchronized void postAnew() {
    anew = true;
    post();
  }

  Future<Void> serve(EventBus on) {
    on.<String>consumer(Board.TAKE, this::take);
    return on.<JsonObject>consumer(Board.DONE, this::done).completion();
  }

  private synchronized void take(Message<String> message) {
    if (!allHere.test(message.body())) {
      message.fail(Board.LATER, "not all workers are here");
      return;
    }
    Integer job = posted.poll();
    if (job == null) {
      job = late();
    }
    if (job == null) {
      message.fail(Board.LATER, "nothing to do");
    } else {
      taken.put(job, System.nanoTime());
      message.reply(job);
    }
  }

  /** A job whose worker took it long ago. */
  private Integer late() {
    long now = System.nanoTime();
    for (Map.Entry<Integer, Long> job : taken.entrySet()) {
      if (now - job.getValue() > Board.LEASE_MILLIS * 1_000_000) {
        again++;
        System.out.println("job " + job.getKey() + " of the board over " + bus + " is posted again: its worker did not come back");
        return job.getKey();
      }
    }
    return null;
  }

  private synchronized void done(Message<JsonObject> message) {
    JsonObject result = message.body();
    int job = result.getInteger("job");
    if (result.getLong("result") != Worker.work(job)) {
      message.fail(2, "job " + job + " has another result");
      return;
    }
    taken.remove(job);
    if (!done.get(job)) {
      done.set(job);
      by.merge(result.getString("worker"), 1, Integer::sum);
      int count = done.cardinality();
      if (count == jobs / 2) {
        half.run();
      }
      if (count == jobs) {
        over.run();
        if (anew) {
          post();
        }
      }
    }
    message.reply(null);
  }

  synchronized void report() {
    System.out.println(done.cardinality() + " jobs done over " + bus + ": " + by + (again == 0 ? "" : ", " + again
      + " of them posted again"));
  }
}
