package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.process.LivenessSocket;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.provider.Device.Reach;
import io.github.vertxrdma.provider.EndpointAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ReachabilityTest {
  private static final ProcessIdentity HERE = new ProcessIdentity(1, 2, 1000, 50, 77, "here", "2b:6");
  private static final FabricAddress FOLDER = new FabricAddress("shm", "shm", 0, EndpointAddress.of("x"), Reach.HOST, "folder 2b:7");
  private static final FabricAddress MEMORY = new FabricAddress("memory", "memory", 0, EndpointAddress.of("x"), Reach.PROCESS, "");

  @TempDir
  Path folder;

  private static NodeEntry node(String id, ProcessIdentity process) {
    return new NodeEntry(id, 1, process, "", 0, "1", "", List.of(), "");
  }

  private static FabricAddress inet(String ip, String subnet) {
    return new FabricAddress("tcp", "tcp", 0, EndpointAddress.of(new InetSocketAddress(InetAddress.ofLiteral(ip), 7)), Reach.NETWORK,
      subnet);
  }

  private static void reaches(ProcessIdentity peer, FabricAddress address) {
    assertNull(Reachability.obstacle(node("a", HERE), node("b", peer), address, address.subnet()));
  }

  private static void refuses(ProcessIdentity peer, FabricAddress address, String why) {
    refuses(peer, address, address.subnet(), why);
  }

  private static void refuses(ProcessIdentity peer, FabricAddress address, String subnet, String why) {
    String obstacle = Reachability.obstacle(node("a", HERE), node("b", peer), address, subnet);
    assertTrue(obstacle.contains("node b") && obstacle.contains(why), obstacle);
  }

  private static ProcessIdentity peer(long network, String host, String folder) {
    return new ProcessIdentity(network, 2, 1000, 51, 78, host, folder);
  }

  @Test
  void addressInFolderIsReachedInThatFolderAlone() {
    reaches(peer(9, "here", "2b:6"), FOLDER);
    reaches(peer(1, "container", ""), FOLDER);
    refuses(peer(1, "there", ""), FOLDER, "folder 2b:8", "of host there");
    refuses(HERE, FOLDER, "folder 2b:8", "its runtime folder is folder 2b:7, and that of this node is folder 2b:8");
    refuses(HERE, FOLDER, "", "that of this node is none");
    refuses(HERE, new FabricAddress("shm", "shm", 0, EndpointAddress.of("x"), Reach.HOST, ""), "folder 2b:8",
      "its runtime folder is none, and that of this node is folder 2b:8");
    refuses(ProcessIdentity.UNKNOWN, FOLDER, "folder 2b:8", "the host of that node is not known");
  }

  /** Two hosts may have folders with the same numbers. */
  @Test
  void loopbackIsReachedOnceProcessAnswersInTheRuntimeFolder() throws Exception {
    String before = System.setProperty(RuntimeFolder.PROPERTY, folder.toString());
    try {
      refuses(peer(1, "here", "2b:6"), inet("127.0.0.1", ""), "another host, here");
      try (LivenessSocket own = LivenessSocket.open(77); LivenessSocket other = LivenessSocket.open(78)) {
        refuses(peer(1, "here", "2b:7"), inet("127.0.0.1", ""), "another host, here");
        until("processes that did not answer are asked again", ReachabilityTest::isNear);
        refuses(peer(9, "here", "2b:6"), inet("127.0.0.1", ""), "network namespace");
        reaches(peer(1, "container", "2b:6"), inet("127.0.0.1", ""));
      }
    } finally {
      if (before == null) {
        System.clearProperty(RuntimeFolder.PROPERTY);
      } else {
        System.setProperty(RuntimeFolder.PROPERTY, before);
      }
    }
    refuses(peer(1, "there", "2b:7"), inet("::1", ""), "another host, there");
    refuses(HERE, inet("0.0.0.0", ""), "wildcard");
    reaches(peer(1, "there", ""), inet("10.0.0.1", ""));
    reaches(ProcessIdentity.UNKNOWN, inet("127.0.0.1", ""));
  }

  private static boolean isNear() {
    return LivenessSocket.sameHost(HERE, peer(1, "here", "2b:6"));
  }

  @Test
  void subnetsMustMatchIfBothHaveThem() {
    reaches(HERE, inet("10.0.1.2", "red"));
    assertNull(Reachability.obstacle(node("a", HERE), node("b", HERE), inet("10.0.1.2", "red"), ""));
    assertNull(Reachability.obstacle(node("a", HERE), node("b", HERE), inet("10.0.1.2", ""), "red"));
    refuses(HERE, inet("10.0.1.2", "green"), "red", "subnet green, and this node is in red");
  }

  @Test
  void processAndSecret() {
    reaches(HERE, MEMORY);
    refuses(peer(1, "here", "2b:6"), MEMORY, "another process");
    String other = Reachability.obstacle(node("a", HERE).withSecretId("1"), node("b", HERE).withSecretId("2"), FOLDER, FOLDER.subnet());
    assertTrue(other.contains("different cluster secrets"), other);
    assertTrue(node("a", HERE).withSecretId("1 2").sharesSecret(node("b", HERE).withSecretId("2 1")));
    assertTrue(node("a", HERE).withSecretId("1 2").sharesSecret(node("b", HERE).withSecretId("1")));
    assertFalse(node("a", HERE).withSecretId("2 1").sharesSecret(node("b", HERE).withSecretId("1")), "b does not accept what a proves");
  }
}
