package io.github.vertxrdma.demo;

import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/** Node A: posts the jobs, gives them out, and posts those again whose worker does not come back. */
final class Board {
  /** A worker asks for the next job, with its name. */
  static final String TAKE = "jobs.take";
  /** A worker reports a result. */
  static final String DONE = "jobs.done";
  /** Told to all when there is nothing left. */
  static final String OVER = "jobs.over";
  /** Failure code: nothing to take at the moment. */
  static final int LATER = 1;

  private static final long LEASE_MILLIS = 1_000;

  private final JobsNode node;
  private final int jobs;
  private final boolean endless;
  private final Set<String> workers = new HashSet<>();
  private final CountDownLatch over = new CountDownLatch(2);
  private final CountDownLatch half = new CountDownLatch(2);

  /** @param endless whether the jobs begin anew when all are done, and it goes on until it is killed */
  Board(JobsNode node, int jobs, boolean endless) {
    this.node = node;
    this.jobs = jobs;
    this.endless = endless;
  }

  void run() throws Exception {
    List<EventBus> buses = node.buses();
    List<Jobs> boards = List.of(new Jobs(0), new Jobs(1));
    for (int i = 0; i < 2; i++) {
      DemoNode.await(boards.get(i).serve(buses.get(i)));
    }
    half.await();
    System.out.println(BusDemo.HALF);
    over.await();
    boards.forEach(Jobs::report);
    if (endless) {
      System.out.println("the jobs are posted anew whenever all are done");
      boards.forEach(Jobs::postAnew);
      new CountDownLatch(1).await();
    }
    for (EventBus bus : buses) {
      bus.publish(OVER, "thank you");
    }
    // B says that it is done by leaving; publications have no receipt.
    Thread.sleep(LEASE_MILLIS);
  }

  private boolean allHere(String worker) {
    synchronized (workers) {
      workers.add(worker);
      return workers.size() >= 2 * (NodeDemo.NODES.size() - 1);
    }
  }

  /** The jobs of one bus; on its event loop. */
  private final class Jobs {
    private final int bus;
    private final ArrayDeque<Integer> posted = new ArrayDeque<>();
    private final Map<Integer, Long> taken = new HashMap<>();
    private final BitSet done = new BitSet();
    private final Map<String, Integer> by = new TreeMap<>();
    private int again;
    private boolean anew;

    Jobs(int bus) {
      this.bus = bus;
      post();
    }

    private void post() {
      done.clear();
      for (int job = 0; job < jobs; job++) {
        posted.add(job);
      }
    }

    /** From now on. */
    private synchronized void postAnew() {
      anew = true;
      post();
    }

    io.vertx.core.Future<Void> serve(EventBus on) {
      on.<String>consumer(TAKE, this::take);
      return on.<JsonObject>consumer(DONE, this::done).completion();
    }

    private synchronized void take(Message<String> message) {
      if (!allHere(message.body() + bus)) {
        message.fail(LATER, "not all workers are here");
        return;
      }
      Integer job = posted.poll();
      if (job == null) {
        job = late();
      }
      if (job == null) {
        message.fail(LATER, "nothing to do");
      } else {
        taken.put(job, System.nanoTime());
        message.reply(job);
      }
    }

    /** A job whose worker took it long ago. */
    private Integer late() {
      long now = System.nanoTime();
      for (Map.Entry<Integer, Long> job : taken.entrySet()) {
        if (now - job.getValue() > LEASE_MILLIS * 1_000_000) {
          again++;
          System.out.println("job " + job.getKey() + " of the board over " + JobsNode.name(bus)
            + " is posted again: its worker did not come back");
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
          half.countDown();
        }
        if (count == jobs) {
          over.countDown();
          if (anew) {
            post();
          }
        }
      }
      message.reply(null);
    }

    private synchronized void report() {
      System.out.println(done.cardinality() + " jobs done over " + JobsNode.name(bus) + ": " + by + (again == 0 ? "" : ", " + again
        + " of them posted again"));
    }
  }
}
