package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.RemoteMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HexFormat;

/** A process that accepts connections, shares its memory and receives all messages until it is killed. Its argument names the device. */
public final class OwnerProcess {
  /** Number of shared bytes. */
  public static final int REGION = 1 << 16;
  /** Options of the process, for messages of at most 500 bytes. */
  static final PairOptions OPTIONS = new PairOptions().withSlots(16, 500);

  private OwnerProcess() {
  }

  public static void main(String[] name) throws IOException {
    try (Domain domain = Devices.require(name[0]).open(); Side side = new Side(domain, OPTIONS)) {
      EndpointAddress address = connectsByListener(domain) ? side.listenAndAccept().localAddress() : null;
      MemoryRegion region = side.openRegion(REGION);
      System.out.println("memory " + region.remoteAddress() + ' ' + HexFormat.of().formatHex(region.remoteKey()));
      if (address != null) {
        System.out.println("at " + words(address));
      }
      BufferedReader addresses = new BufferedReader(new InputStreamReader(System.in));
      while (true) {
        side.poll();
        side.messages.clear();
        side.disconnected.forEach(Endpoint::close);
        side.disconnected.clear();
        side.connected.clear();
        if (addresses.ready()) {
          connect(side, address(addresses.readLine()));
        }
        Thread.onSpinWait();
      }
    }
  }

  /** Closes the former endpoint first, because the end of an exchanged connection is not reported. */
  private static void connect(Side side, EndpointAddress peer) {
    if (side.endpoint != null) {
      side.endpoint.close();
    }
    Endpoint made = side.createExchangedEndpoint();
    System.out.println("at " + words(made.localAddress()));
    made.connect(peer, new byte[0]);
  }

  static boolean connectsByListener(Domain domain) {
    return domain.capabilities().connectsBy(Connecting.LISTENER);
  }

  /** Returns the memory that a process shares. */
  public static RemoteMemory memory(Domain domain, ChildJvm process) throws InterruptedException {
    String[] words = process.await("memory ").split(" ");
    return domain.remoteMemory(Long.parseLong(words[0]), REGION, HexFormat.of().parseHex(words[1]));
  }

  /** Returns the next address that a process prints: that of its listener, or of an endpoint that connects by an exchange of addresses. */
  public static EndpointAddress address(ChildJvm process) throws InterruptedException {
    return address(process.await("at "));
  }

  public static String words(EndpointAddress address) {
    return address.format() + ' ' + HexFormat.of().formatHex(address.bytes());
  }

  public static EndpointAddress address(String line) {
    String[] words = line.split(" ");
    return EndpointAddress.of(words[0], HexFormat.of().parseHex(words[1]));
  }
}
