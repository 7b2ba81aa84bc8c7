package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.CompletionBatch;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;

/** One end that answers each message and wakes its peer, without a timer; also as a program. */
final class WakeSocketEnd implements CompletionHandler, AutoCloseable {
  private final Vertx vertx;
  private final MappedQueue queue;
  private final CompletionPoller poller;
  private final long rounds;
  final CountDownLatch done = new CountDownLatch(1);
  volatile long received;
  private long answers;
  private PeerWaker waker;

  WakeSocketEnd(String kind, Path fabric, int end, long rounds) throws IOException {
    this.rounds = rounds;
    vertx = TestLoops.vertx(kind);
    queue = new MappedQueue(fabric, end);
    poller = TestLoops.attachUntimed(TestLoops.loop(vertx), queue, this);
  }

  byte[] descriptor() {
    return poller.wakeAddress();
  }

  void start(byte[] peer, boolean first) throws Exception {
    PeerWaker opened = PeerWaker.open(peer);
    poller.eventLoop().submit(() -> {
      waker = opened;
      answers += first ? 1 : 0;
      poller.wake();
    }).get();
  }

  @Override
  public void completions(CompletionBatch batch) {
    answers += batch.size();
    long now = received + batch.size();
    received = now;
    if (now >= rounds) {
      done.countDown();
    }
  }

  @Override
  public void turnEnd() {
    if (answers > 0 && waker != null) {
      queue.post(answers);
      answers = 0;
      waker.wake();
    }
  }

  @Override
  public void close() {
    TestLoops.join(poller.detach());
    if (waker != null) {
      waker.close();
    }
    queue.close();
    TestLoops.join(vertx.close());
  }

  /** Arguments: kind of event loop, fabric file, rounds, runtime folder. Prints its waker, then reads that of the peer. */
  public static void main(String[] args) throws Exception {
    System.setProperty("vertx.rdma.runtime", args[3]);
    Scanner in = new Scanner(System.in);
    try (WakeSocketEnd end = new WakeSocketEnd(args[0], Path.of(args[1]), 1, Long.parseLong(args[2]))) {
      System.out.println("waker " + Base64.getEncoder().encodeToString(end.descriptor()));
      end.start(Base64.getDecoder().decode(in.nextLine()), false);
      System.out.println("started");
      end.done.await();
      System.out.println("done");
      in.nextLine();
    }
    System.out.println("gone");
  }
}
