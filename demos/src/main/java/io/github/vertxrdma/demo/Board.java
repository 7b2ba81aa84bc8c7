package io.github.vertxrdma.demo;

import io.vertx.core.eventbus.EventBus;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** Node A: posts the jobs on two buses, and tells the others when they are done. */
final class Board {
  /** A worker asks for the next job, with its name. */
  static final String TAKE = "jobs.take";
  /** A worker reports a result. */
  static final String DONE = "jobs.done";
  /** Told to all when there is nothing left. */
  static final String OVER = "jobs.over";
  /** Failure code: nothing to take at the moment. */
  static final int LATER = 1;

  static final long LEASE_MILLIS = 1_000;

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
    List<Jobs> boards = List.of(jobs(0), jobs(1));
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

  private Jobs jobs(int bus) {
    return new Jobs(JobsNode.name(bus), jobs, worker -> allHere(worker + bus), half::countDown, over::countDown);
  }

  private boolean allHere(String worker) {
    synchronized (workers) {
      workers.add(worker);
      return workers.size() >= 2 * (NodeDemo.NODES.size() - 1);
    }
  }
}
