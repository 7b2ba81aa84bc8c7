package io.github.vertxrdma.perf.work;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Messages over Aeron, by shared memory or UDP. Each process uses one thread, which polls while there is traffic. This is Aeron's best
 * configuration on one processor.
 */
final class AeronMessages implements Workload {
  private static final int THERE = 1001;
  private static final int BACK = 1002;
  private static final long IDLE_NANOS = 300_000_000;
  private static final int FRAGMENTS = 64;

  private final Setup setup;
  private final boolean ipc;
  private final boolean oneWay;
  private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1 << 20]);
  private MediaDriver driver;
  private Aeron aeron;
  private AgentInvoker driverAgent;
  private AgentInvoker clientAgent;
  private Publication publication;
  private Subscription subscription;
  private volatile Thread server;
  private volatile boolean closed;
  private long left;
  private boolean answered;
  private int turns;

  AeronMessages(Setup setup) {
    this.setup = setup;
    this.ipc = setup.fabric().equals("ipc");
    this.oneWay = !setup.mode().equals("latency");
  }

  private void open(boolean serving) {
    String folder = Path.of(setup.folder(), ipc || serving ? "aeron" : "aeron-client").toString();
    if (serving || !ipc) {
      driver = MediaDriver.launch(new MediaDriver.Context().aeronDirectoryName(folder).threadingMode(ThreadingMode.INVOKER)
        .dirDeleteOnStart(true).dirDeleteOnShutdown(true).termBufferSparseFile(false).ipcTermBufferLength(16 << 20)
        .publicationTermBufferLength(16 << 20).socketRcvbufLength(1 << 21).socketSndbufLength(1 << 21).initialWindowLength(1 << 20)
        .warnIfDirectoryExists(false).clientLivenessTimeoutNs(60_000_000_000L).publicationUnblockTimeoutNs(90_000_000_000L));
      driverAgent = driver.sharedAgentInvoker();
    }
    aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(folder).useConductorAgentInvoker(true)
      .driverAgentInvoker(driverAgent).driverTimeoutMs(60_000));
    clientAgent = aeron.conductorAgentInvoker();
    int out = serving ? BACK : THERE;
    String channel = "aeron:ipc";
    String toServer = ipc ? channel : "aeron:udp?endpoint=127.0.0.1:" + setup.port();
    String toClient = ipc ? channel : "aeron:udp?endpoint=127.0.0.1:" + (setup.port() + 1);
    subscription = aeron.addSubscription(serving ? toServer : toClient, serving ? THERE : BACK);
    publication = aeron.addPublication(serving ? toClient : toServer, out);
  }

  /** Runs Aeron's agents. The driver carries UDP traffic, and runs rarely over shared memory. */
  private void work() {
    turns++;
    if (driverAgent != null && (!ipc || (turns & 0xff) == 0)) {
      driverAgent.invoke();
    }
    if ((turns & 0x3ff) == 0) {
      clientAgent.invoke();
    }
  }

  private void offer(DirectBuffer from, int offset, int length) {
    while (publication.offer(from, offset, length) < 0 && !closed) {
      work();
      Thread.onSpinWait();
    }
  }

  @Override
  public void serve() throws Exception {
    open(true);
    Thread thread = new Thread(this::serveAll, "aeron-server");
    server = thread;
    thread.setDaemon(true);
    thread.start();
  }

  private void serveAll() {
    FragmentHandler echo = (b, offset, length, header) -> offer(b, offset, length);
    FragmentHandler sink = (b, offset, length, header) -> {
      if (left == 0) {
        left = b.getLong(offset);
      } else if (--left == 0) {
        offer(buffer, 0, 8);
      }
    };
    FragmentHandler handler = oneWay ? sink : echo;
    long last = System.nanoTime();
    while (!closed) {
      work();
      if (subscription.poll(handler, FRAGMENTS) > 0) {
        last = System.nanoTime();
      } else if (System.nanoTime() - last > IDLE_NANOS) {
        LockSupport.parkNanos(1_000_000);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  @Override
  public void connect() throws Exception {
    open(false);
    long begin = System.nanoTime();
    while (!publication.isConnected() || !subscription.isConnected()) {
      work();
      clientAgent.invoke();
      if (System.nanoTime() - begin > 20_000_000_000L) {
        throw new IllegalStateException("Aeron did not connect in 20 s");
      }
      Thread.onSpinWait();
    }
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    clientAgent.invoke();
    if (size > publication.maxMessageLength() || size > publication.maxPayloadLength() && !oneWay) {
      throw new IllegalArgumentException(
        "a message of " + size + " bytes is too long: Aeron sends at most " + publication.maxPayloadLength() + " in one piece");
    }
    FragmentHandler handler = (b, offset, length, header) -> answered = true;
    if (oneWay) {
      return Bursts.run(size, nanos, 1, (bytes, count) -> {
        buffer.putLong(0, count);
        offer(buffer, 0, Math.max(8, bytes));
        for (long i = 0; i < count; i++) {
          offer(buffer, 0, bytes);
        }
        await(handler);
        return Future.succeededFuture();
      });
    }
    Histogram histogram = Sample.histogram();
    long begin = System.nanoTime();
    long sent = begin;
    do {
      offer(buffer, 0, size);
      await(handler);
      long now = System.nanoTime();
      histogram.recordValue(now - sent);
      sent = now;
    } while (sent - begin < nanos);
    return Sample.of(histogram, sent - begin, size);
  }

  private void await(FragmentHandler handler) {
    answered = false;
    while (!answered) {
      work();
      if (subscription.poll(handler, FRAGMENTS) == 0) {
        Thread.onSpinWait();
      }
    }
  }

  @Override
  public void close() throws Exception {
    closed = true;
    if (server != null) {
      server.join(1000);
    }
    aeron.close();
    if (driver != null) {
      driver.close();
    }
  }
}
