package io.github.vertxrdma.simulator.world;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

// tag::all[]
/** Checks that numbers which one loop sends to another arrive once and in order while their connection lasts. */
class ExchangeTest extends SeededTest<ExchangeTest.Exchange> {
  ExchangeTest() {
    super(Exchange::new, 200, 20);
  }

  /** Stops loops and cuts the network between the sends. */
  static final class Exchange extends Simulation implements Network.Watcher {
    private static final int SENDS = 60;
    private static final int RECEIVES = 4;

    private final Network network = new Network(time, random.nextLong(), Weather.of(random), InMemoryFabric.CAPABILITIES, false, trace,
      this);
    private final InMemoryFabric fabric = InMemoryFabric.create("exchange", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS, network);
    private final Side writer = new Side();
    private final Side reader = new Side();
    private int sent;
    private int read;
    private boolean mayEnd;

    Exchange(long seed, boolean traced) {
      super(seed, traced);
    }

    @Override
    protected void play() {
      reader.domain.listen(reader.queue, EndpointAddress.of("exchange:1"), new EndpointOptions(), request -> {
        reader.endpoint = request.createEndpoint(reader.queue, new EndpointOptions(), reader);
        for (int i = 0; i < RECEIVES; i++) {
          reader.receive(i);
        }
        request.accept(new byte[0]);
      });
      writer.loop.execute(() -> {
        writer.endpoint = writer.domain.createEndpoint(writer.queue, new EndpointOptions(), writer);
        writer.endpoint.connect(EndpointAddress.of("exchange:1"), new byte[0]);
      });
      pass(TimeUnit.MILLISECONDS.toNanos(50));
      play(SENDS, 5, 100, 2);
    }

    @Override
    protected void happen() {
      switch (random.nextInt(20)) {
        case 0 -> network.cut(0, 1, TimeUnit.MILLISECONDS.toNanos(random.nextInt(300)));
        case 1 -> {
          Side side = any(List.of(writer, reader));
          side.loop.stop();
          time.after(TimeUnit.MILLISECONDS.toNanos(random.nextInt(300)), side.loop::resume);
        }
        default -> writer.loop.execute(this::send);
      }
    }

    private void send() {
      long offset = (long) sent * Long.BYTES;
      writer.memory.segment().set(ValueLayout.JAVA_LONG, offset, sent);
      if (writer.endpoint.state() == EndpointState.CONNECTED && writer.endpoint
        .post(new WorkRequest().send(writer.memory, offset, Long.BYTES).id(sent).flags(PostFlags.SIGNALED)) == Status.OK) {
        sent++;
        count("messages");
      }
    }

    @Override
    public void disturbed(Fault fault, int from, int to) {
      faults.merge(fault, 1L, Long::sum);
      mayEnd |= fault.excuses;
    }

    @Override
    protected void finish() {
      network.calm();
      pass(TimeUnit.SECONDS.toNanos(10));
      if (read != sent && !mayEnd) {
        violated(sent + " numbers were sent, and " + read + " arrived");
      }
      mayEnd = true;
      writer.loop.execute(writer::close);
      reader.loop.execute(reader::close);
      pass(TimeUnit.SECONDS.toNanos(10));
      writer.domain.close();
      reader.domain.close();
      if (!fabric.open().isEmpty()) {
        violated("left open: " + fabric.open());
      }
      checkTimers();
    }

    /** One process: its loop, and its objects on the fabric. Misuse of the device is a violation. */
    private final class Side implements EndpointHandler {
      final VirtualLoop loop = new VirtualLoop(time, random.nextLong());
      final Domain domain = FragileDevice.over(fabric.device().open(), time, Exchange.this::violated);
      final CompletionQueue queue = domain.createCompletionQueue(256);
      final MemoryRegion memory = domain.register(Arena.ofAuto().allocate((SENDS + 1L) * Long.BYTES, Long.BYTES),
        EnumSet.of(Access.LOCAL_WRITE));
      final VirtualLoop.Poller poller = loop.poll(queue, this::completions, this::turnEnd);
      final Queue<Long> refused = new ArrayDeque<>();
      Endpoint endpoint;

      void receive(long number) {
        if (endpoint.receiveQueue().post(number, memory, number * Long.BYTES, Long.BYTES) != Status.OK) {
          refused.add(number);
          poller.wake();
        }
      }

      private void completions(CompletionBatch batch) {
        for (int i = 0; i < batch.size(); i++) {
          if (batch.operation(i) == Operation.RECEIVE && batch.status(i) == Status.OK) {
            long number = memory.segment().get(ValueLayout.JAVA_LONG, batch.requestId(i) * Long.BYTES);
            if (number != read++) {
              violated(number + " arrived in the place of " + (read - 1));
            }
            receive(batch.requestId(i));
          }
        }
      }

      private void turnEnd() {
        for (int i = refused.size(); i > 0 && endpoint.state() == EndpointState.CONNECTED; i--) {
          receive(refused.remove());
        }
      }

      @Override
      public void connected(Endpoint connected, byte[] data) {
        trace.note("connected", -1, 0, data.length);
      }

      @Override
      public void disconnected(Endpoint broken, ProviderException cause) {
        if (!mayEnd) {
          violated("the connection ended: " + cause);
        }
      }

      void close() {
        endpoint.close();
        poller.detach();
        queue.close();
        memory.close();
      }
    }
  }
}
// end::all[]
