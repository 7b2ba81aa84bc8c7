package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process is killed after a write, before the owner's provider acknowledges it. The acknowledgement is an operation of the provider. */
class KilledWriterTest {

  @Test
  @Timeout(180)
  void ownerSurvivesTheDeathOfAWriter() throws Exception {
    List<String> launcher = StandInDevices.standIn().launcher();
    try (ChildJvm owner = ChildJvm.startBy(launcher, Owner.class);
      ChildJvm writer = ChildJvm.startBy(launcher, Writer.class, owner.await("listening ").split(" "))) {
      writer.await("connected");
      owner.send("stop polling");
      owner.await("stopped");
      writer.send("write");
      writer.await("written");
      writer.close();
      owner.send("poll");
      owner.await("alive");
      assertEquals(0, owner.waitFor());
    }
  }

  /** Polls until a line arrives. The process ends with its parent. */
  private static void pollUntilLine(Side side, BufferedReader in) {
    CompletableFuture<Void> line = CompletableFuture.runAsync(() -> {
      try {
        if (in.readLine() == null) {
          Runtime.getRuntime().halt(1);
        }
      } catch (IOException e) {
        Runtime.getRuntime().halt(1);
      }
    });
    while (!line.isDone()) {
      side.poll();
    }
  }

  static final class Owner {
    private Owner() {
    }

    public static void main(String[] arguments) throws Exception {
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
      try (Domain domain = StandInDevices.device(StandInDevices.EFA).open(); Side side = new Side(domain, new PairOptions())) {
        MemoryRegion region = side.openRegion(4096);
        EndpointAddress address = side.listenAndAccept().localAddress();
        System.out.println("listening " + address.format() + ' ' + HexFormat.of().formatHex(address.bytes()) + ' ' + region.remoteAddress()
          + ' ' + HexFormat.of().formatHex(region.remoteKey()));
        pollUntilLine(side, in);
        System.out.println("stopped");
        in.readLine();
        for (int i = 0; i < 1000; i++) {
          side.poll();
        }
        System.out.println("alive");
      }
    }
  }

  static final class Writer {
    private Writer() {
    }

    public static void main(String[] address) throws Exception {
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
      try (Domain domain = StandInDevices.device(StandInDevices.EFA).open(); Side side = new Side(domain, new PairOptions())) {
        MemoryRegion source = side.openRegion(4096);
        Endpoint endpoint = side.connect(EndpointAddress.of(address[0], HexFormat.of().parseHex(address[1])));
        Await.until("connected", () -> endpoint.state() == EndpointState.CONNECTED, side::poll, side::toString);
        RemoteMemory remote = domain.remoteMemory(Long.parseLong(address[2]), 4096, HexFormat.of().parseHex(address[3]));
        System.out.println("connected");
        pollUntilLine(side, in);
        assertEquals(Status.OK,
          endpoint.post(new WorkRequest().write(source, 0, 64, remote, 0).id(1).flags(PostFlags.SIGNALED | PostFlags.DELIVERY_COMPLETE)));
        System.out.println("written");
        pollUntilLine(side, in);
      }
    }
  }
}
