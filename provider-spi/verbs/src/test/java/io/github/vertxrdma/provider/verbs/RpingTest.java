package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.nic.RpingEnd;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The protocol of rping(1), with rping as the peer, which checks the data. */
@ExtendWith(TestDevices.class)
@ParameterizedClass(name = "{0}")
@MethodSource("names")
@Timeout(120)
@ExtendWith(LeakCheck.class)
class RpingTest {
  private static final int SIZE = 2000;
  private static final int ROUNDS = 20;
  private static final int INFO = 16;

  @Parameter
  private String name;
  private Process rping;

  static List<String> names() {
    return TestDevices.names();
  }

  private VerbsDevice device() {
    return (VerbsDevice) Devices.require(new VerbsProvider(), name);
  }

  private void start(String role, EndpointAddress address) throws IOException {
    InetSocketAddress inet = address.toInet();
    List<String> command = new ArrayList<>(List.of("rping", role, "-a", inet.getAddress().getHostAddress(), "-p",
      Integer.toString(inet.getPort()), "-C", Integer.toString(ROUNDS), "-S", Integer.toString(SIZE), "-V"));
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      if (TestDevices.inUserSpace()) {
        builder.environment().putAll(Nic.built().environment(Nic.DEFAULT));
      }
      rping = builder.start();
    } catch (IOException e) {
      abort("rping is not installed (rdmacm-utils): " + e.getMessage());
    }
  }

  @AfterEach
  void stop() {
    if (rping != null) {
      rping.destroyForcibly();
    }
  }

  private void await(Side side, String what, BooleanSupplier condition) {
    Await.until(what, () -> condition.getAsBoolean() || !side.disconnected.isEmpty(), side::poll, side::toString);
    assertTrue(condition.getAsBoolean(), () -> what + ": " + side + ", output of rping: " + output());
  }

  private String output() {
    try {
      return rping.waitFor(5, TimeUnit.SECONDS) ? new String(rping.getInputStream().readAllBytes()) : "nothing, it still runs";
    } catch (IOException | InterruptedException e) {
      return e.toString();
    }
  }

  private static byte[] info(MemoryRegion region, int size) {
    return ByteBuffer.allocate(INFO).putLong(region.remoteAddress()).put(region.remoteKey()).putInt(size).array();
  }

  private static RemoteMemory remote(Side side, ByteBuffer info) {
    long address = info.getLong();
    byte[] key = new byte[4];
    info.get(key);
    return side.domain().remoteMemory(address, info.getInt(), key);
  }

  private void success(Side side, long id) {
    await(side, "completion " + id, () -> side.completion(id) != null);
    Completion completion = side.completion(id);
    assertTrue(completion.ok(), completion.toString());
    side.completions.clear();
  }

  private ByteBuffer message(Side side) {
    await(side, "a message of rping", () -> !side.messages.isEmpty());
    return ByteBuffer.wrap(side.messages.poll().data());
  }

  @Test
  void serverWorksWithRpingClient() throws Exception {
    VerbsDevice device = device();
    try (var domain = device.open(); Side side = new Side(domain, new PairOptions().withSlots(8, 64))) {
      Listener listener = side.listenAndAccept();
      start("-c", listener.localAddress());
      await(side, "connected", () -> !side.connected.isEmpty());
      MemoryRegion buffer = side.region(SIZE, Access.LOCAL_WRITE, Access.READ_SINK);
      for (int round = 0; round < ROUNDS; round++) {
        try (RemoteMemory source = remote(side, message(side))) {
          assertEquals(SIZE, source.length());
          assertEquals(Status.OK, side.endpoint.post(new WorkRequest().read(buffer, 0, SIZE, source, 0).id(-1).flags(PostFlags.SIGNALED)));
          success(side, -1);
        }
        success(side, side.send(side.endpoint, new byte[INFO], PostFlags.SIGNALED));
        try (RemoteMemory sink = remote(side, message(side))) {
          assertEquals(Status.OK, side.endpoint.post(new WorkRequest().write(buffer, 0, SIZE, sink, 0).id(-2).flags(PostFlags.SIGNALED)));
          success(side, -2);
        }
        success(side, side.send(side.endpoint, new byte[INFO], PostFlags.SIGNALED));
      }
      Await.until("rping's end", () -> !side.disconnected.isEmpty(), side::poll, side::toString);
      assertTrue(rping.waitFor(20, TimeUnit.SECONDS), "rping still runs");
      String output = output();
      assertTrue(RpingEnd.isOrderly(rping.exitValue(), output.lines().toList()), () -> "status " + rping.exitValue() + ": " + output);
    }
  }

  @Test
  void clientWorksWithRpingServer() throws Exception {
    VerbsDevice device = device();
    assumeTrue(device.defaultAddress() != null, "no IP address");
    try (var domain = device.open(); Side side = new Side(domain, new PairOptions().withSlots(8, 64))) {
      Listener probe = side.listenAndAccept();
      EndpointAddress address = probe.localAddress();
      probe.close();
      start("-s", address);
      connect(side, address);
      MemoryRegion source = side.region(SIZE, Access.LOCAL_WRITE, Access.REMOTE_READ);
      MemoryRegion sink = side.region(SIZE, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
      for (int round = 0; round < ROUNDS; round++) {
        byte[] data = new byte[SIZE];
        // rping's server treats the data as a C string.
        Arrays.fill(data, 0, SIZE - 1, (byte) ('a' + round));
        source.segment().copyFrom(java.lang.foreign.MemorySegment.ofArray(data));
        success(side, side.send(side.endpoint, info(source, SIZE), PostFlags.SIGNALED));
        message(side);
        success(side, side.send(side.endpoint, info(sink, SIZE), PostFlags.SIGNALED));
        message(side);
        assertEquals(-1, sink.segment().mismatch(source.segment()), "round " + round);
      }
      side.endpoint.disconnect();
      Await.until("the end", () -> !side.disconnected.isEmpty(), side::poll, side::toString);
    }
    assertTrue(rping.waitFor(20, TimeUnit.SECONDS), "rping still runs");
    String output = output();
    assertTrue(RpingEnd.isOrderly(rping.exitValue(), output.lines().toList()), () -> "status " + rping.exitValue() + ": " + output);
  }

  private void connect(Side side, EndpointAddress address) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Await.patienceMillis());
    do {
      side.disconnected.clear();
      side.connect(address);
      Await.until("an answer", () -> !side.connected.isEmpty() || !side.disconnected.isEmpty(), side::poll, side::toString);
    } while (side.connected.isEmpty() && System.nanoTime() < deadline);
    assertTrue(side.disconnected.isEmpty(), () -> side + ", output of rping: " + output());
  }
}
