package io.github.vertxrdma.impl.node;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.provider.Device.Reach;
import io.github.vertxrdma.provider.EndpointAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReachabilityTest {
  private static final ProcessIdentity HERE = new ProcessIdentity("boot", 1, 2, 1000, 50, 77, "here");
  private static final FabricAddress FOLDER = new FabricAddress("shm", "shm", 0, EndpointAddress.of("x"), Reach.HOST, "folder 2b:7");
  private static final FabricAddress MEMORY = new FabricAddress("memory", "memory", 0, EndpointAddress.of("x"), Reach.PROCESS, "");

  private static NodeEntry node(String id, ProcessIdentity process) {
    return new NodeEntry(id, 1, process, "", 0, "1", "", List.of(), "");
  }

  private static FabricAddress inet(String ip, String subnet) {
    return new FabricAddress("tcp", "tcp", 0, EndpointAddress.of(new InetSocketAddress(InetAddress.ofLiteral(ip), 7)), Reach.NETWORK,
      subnet);
  }

  private static void reaches(ProcessIdentity peer, FabricAddress address) {
    Reachability answer = Reachability.of(node("a", HERE), node("b", peer), address, address.subnet());
    assertTrue(answer.reachable(), answer.reason());
    assertEquals("", answer.reason());
  }

  private static void refuses(ProcessIdentity peer, FabricAddress address, String why) {
    refuses(peer, address, address.subnet(), why);
  }

  private static void refuses(ProcessIdentity peer, FabricAddress address, String subnet, String why) {
    Reachability answer = Reachability.of(node("a", HERE), node("b", peer), address, subnet);
    assertFalse(answer.reachable());
    assertTrue(answer.reason().contains("node b") && answer.reason().contains(why), answer.reason());
  }

  @Test
  void addressInFolderIsReachedInThatFolderWhateverTheBootIds() {
    reaches(new ProcessIdentity("boot", 9, 9, 1001, 51, 78, "here"), FOLDER);
    reaches(new ProcessIdentity("container", 1, 2, 1000, 51, 78, "here"), FOLDER);
    reaches(new ProcessIdentity("", 1, 2, 1000, 51, 78, "here"), FOLDER);
    refuses(new ProcessIdentity("other", 1, 2, 1000, 51, 78, "there"), FOLDER, "folder 2b:8", "of host there");
    refuses(HERE, FOLDER, "folder 2b:8", "in folder 2b:7, this node in folder 2b:8");
    refuses(HERE, FOLDER, "", "this node in no folder");
    refuses(HERE, new FabricAddress("shm", "shm", 0, EndpointAddress.of("x"), Reach.HOST, ""), "folder 2b:8",
      "in no folder, this node in folder 2b:8");
    refuses(ProcessIdentity.UNKNOWN, FOLDER, "folder 2b:8", "not known which host");
  }

  @Test
  void loopbackStaysInItsNetworkNamespace() {
    reaches(new ProcessIdentity("boot", 1, 9, 1001, 51, 78, "here"), inet("127.0.0.1", ""));
    refuses(new ProcessIdentity("boot", 9, 2, 1000, 51, 78, "here"), inet("127.0.0.1", ""), "network namespace");
    refuses(new ProcessIdentity("other", 1, 2, 1000, 51, 78, "there"), inet("::1", ""), "loopback address of another host, there");
    refuses(HERE, inet("0.0.0.0", ""), "wildcard");
    reaches(new ProcessIdentity("other", 1, 2, 1000, 51, 78, "there"), inet("10.0.0.1", ""));
    reaches(ProcessIdentity.UNKNOWN, inet("127.0.0.1", ""));
  }

  @Test
  void loopbackIsReachedWithoutBootIdInOneRuntimeFolder() {
    ProcessIdentity partOfProc = new ProcessIdentity("", 1, 2, 1000, 51, 78, "here");
    NodeEntry self = node("a", HERE.withFolder("2b:6"));
    FabricAddress loopback = inet("127.0.0.1", "");
    assertTrue(Reachability.of(self, node("b", partOfProc.withFolder("2b:6")), loopback, "").reachable());
    assertFalse(Reachability.of(self, node("b", partOfProc.withFolder("2b:7")), loopback, "").reachable());
    assertFalse(Reachability.of(self, node("b", new ProcessIdentity("other", 1, 2, 1000, 51, 78, "there").withFolder("2b:6")), loopback, "")
      .reachable(), "two hosts may have folders with the same numbers");
  }

  @Test
  void subnetsMustMatchIfBothHaveThem() {
    reaches(HERE, inet("10.0.1.2", "red"));
    assertTrue(Reachability.of(node("a", HERE), node("b", HERE), inet("10.0.1.2", "red"), "").reachable());
    assertTrue(Reachability.of(node("a", HERE), node("b", HERE), inet("10.0.1.2", ""), "red").reachable());
    refuses(HERE, inet("10.0.1.2", "green"), "red", "subnet green, this node in red");
  }

  @Test
  void processAndSecret() {
    reaches(HERE, MEMORY);
    refuses(new ProcessIdentity("boot", 1, 2, 1000, 51, 78, "here"), MEMORY, "another process");
    Reachability other = Reachability.of(node("a", HERE).withSecretId("1"), node("b", HERE).withSecretId("2"), FOLDER, FOLDER.subnet());
    assertTrue(other.reason().contains("different cluster secrets"), other.reason());
    assertTrue(node("a", HERE).withSecretId("1 2").sharesSecret(node("b", HERE).withSecretId("2 1")));
    assertTrue(node("a", HERE).withSecretId("1 2").sharesSecret(node("b", HERE).withSecretId("1")));
    assertFalse(node("a", HERE).withSecretId("2 1").sharesSecret(node("b", HERE).withSecretId("1")), "b does not accept what a proves");
  }
}
