package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Requirements;
import io.github.vertxrdma.provider.Selection;
import io.github.vertxrdma.provider.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

public interface DeviceContract extends ContractFixture {

  @ContractTest
  default void namesItself() {
    Device device = device();
    assertFalse(device.provider().isBlank());
    assertFalse(device.name().isBlank());
    assertFalse(device.fabric().isBlank());
    assertTrue(device.preference() != null && device.reach() != null && device.endpointType() != null);
    assertEquals(device.subnet(), device().subnet());
  }

  @ContractTest
  default void capabilitiesAreConsistent(Domain domain) {
    assertEquals(device().name(), domain.device().name());
    check(device().capabilities());
    check(domain.capabilities());
    Capabilities found = domain.capabilities();
    assertTrue(device().capabilities().operations().containsAll(found.operations()), "found more than was advertised");
    if (device().endpointType() == EndpointType.RDM) {
      assertTrue(found.sharedReceiveOnly(), "RDM shares its receive queue");
    }
  }

  private static void check(Capabilities capabilities) {
    assertTrue(capabilities.operations().containsAll(EnumSet.of(Operation.SEND, Operation.RECEIVE, Operation.WRITE, Operation.READ)));
    boolean immediates = capabilities.can(Operation.SEND_IMMEDIATE) || capabilities.can(Operation.WRITE_IMMEDIATE);
    assertEquals(immediates, capabilities.immediateBits() > 0, "immediates need bits");
    assertTrue(capabilities.immediateBits() <= Long.SIZE);
    assertTrue(capabilities.promises(Capabilities.Order.SEND_AFTER_WRITE) || capabilities.deliveryComplete(),
      "a write could not be announced");
    assertTrue(capabilities.messagePrefix() >= 0 && capabilities.reservedReceives() >= 0);
  }

  /** Sends a message, because connectionless endpoints may connect with the first message. */
  @ContractTest
  default void kernelSocketStatesWhetherAConnectionIsATcpConnectionOfThisProcess() throws IOException {
    boolean kernelSocket = device().capabilities().kernelSocket();
    assertEquals(kernelSocket, found().kernelSocket());
    Set<String> before = tcpConnections();
    try (Pair pair = Pair.connected(device())) {
      pair.a.send(pair.left(), Pattern.bytes(0, 64), PostFlags.SIGNALED);
      pair.message(pair.b);
      Set<String> made = tcpConnections();
      made.removeAll(before);
      assertEquals(kernelSocket, !made.isEmpty(), made.size() + " TCP connections");
    }
  }

  /** Returns the socket inodes of this process's TCP connections; proc_pid_fd(5), proc_pid_net(5). */
  private static Set<String> tcpConnections() throws IOException {
    Set<String> established = new HashSet<>();
    for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
      for (String line : Files.readAllLines(Path.of(table))) {
        String[] fields = line.trim().split(" +");
        if (fields[3].equals("01")) {
          established.add("socket:[" + fields[9] + "]");
        }
      }
    }
    established.retainAll(Leaks.descriptors());
    return established;
  }

  /** Private data that a handshake above the SPI needs, in bytes. */
  int HANDSHAKE = 50;

  @ContractTest
  default void limitsArePositive(Domain domain) {
    Limits limits = domain.limits();
    assertTrue(limits.maxMessageSize() >= 4096 && limits.maxTransferSize() >= 4096, limits.toString());
    assertTrue(limits.inlineSize() >= 0 && limits.sendDepth() > 1 && limits.receiveDepth() > 1, limits.toString());
    assertTrue(limits.scatterGather() >= 1 && limits.readsInFlight() >= 1 && limits.privateData() >= HANDSHAKE, limits.toString());
    assertTrue(limits.maxRegionSize() > 0 && limits.maxRegions() > 0 && limits.completionQueueDepth() > 1, limits.toString());
    assertTrue(limits.keySize() > 0, limits.toString());
  }

  @ContractTest
  default void requirementsSelectDeviceOrNameTheRefusal() {
    Device device = device();
    assertEquals(List.of(), Requirements.BASIC.missedBy(device));
    assertEquals(List.of(), Requirements.BASIC.withFabric(device.name()).missedBy(device));
    assertEquals(List.of(), Requirements.BASIC.withFabric(device.fabric()).missedBy(device));
    assertEquals(List.of(device), Selection.of(Requirements.BASIC, List.of(device)).ranked());
    Selection other = Selection.of(Requirements.BASIC.withFabric("no-such-fabric"), List.of(device));
    assertEquals(List.of(), other.ranked());
    assertTrue(other.explain().contains(device.name() + ": not used, since fabric 'no-such-fabric' is forced"), other.explain());
  }

  @ContractTest
  default void opensTwiceAndClosesTwice() {
    Device device = device();
    Domain first = device.open();
    Domain second = device.open();
    first.close();
    first.close();
    try (CompletionQueue queue = second.createCompletionQueue(16)) {
      assertTrue(queue.capacity() > 0);
    }
    second.close();
    second.close();
  }

  @ContractTest
  default void closingTheDomainClosesWhatIsLeftOpen() {
    Domain domain = device().open();
    Side side = new Side(domain, new PairOptions());
    side.listenAndAccept();
    side.createEndpoint();
    side.region(4096);
    domain.close();
    assertDoesNotThrow(side::close, "what the domain closed can be closed again");
  }

  @ContractTest
  default void closedDomainRefusesCreation() {
    Domain domain = device().open();
    domain.close();
    try {
      domain.createCompletionQueue(16);
      throw new AssertionError("a completion queue of a closed domain");
    } catch (ProviderException | IllegalStateException expected) {
      assertFalse(expected.getMessage() == null || expected.getMessage().isBlank());
    }
  }

  @ContractTest
  default void completionQueueReportsItsWaitMode() {
    try (Domain domain = device().open(); CompletionQueue queue = domain.createCompletionQueue(64)) {
      assertEquals(domain.capabilities().waiting(), queue.waiting());
      assertEquals(queue.waiting() == Waiting.FD, queue.fd() >= 0);
      assertEquals(0, queue.unannounced());
      queue.close();
    }
  }
}
