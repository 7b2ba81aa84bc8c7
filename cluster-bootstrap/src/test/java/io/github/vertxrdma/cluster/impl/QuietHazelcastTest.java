package io.github.vertxrdma.cluster.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.hazelcast.config.Config;
import io.github.vertxrdma.base.HostLookup;
import io.github.vertxrdma.provider.contract.LogLines;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class QuietHazelcastTest {
  private final CountDownLatch never = new CountDownLatch(1);
  /** The system's resolver waits 30 s for a name server that does not answer. */
  private final HostLookup lookup = new HostLookup(host -> {
    switch (host) {
      case "silent" -> {
        try {
          never.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      case "unknown" -> throw new UnknownHostException(host);
      default -> {
      }
    }
    return InetAddress.getLoopbackAddress();
  });

  @AfterEach
  void release() {
    never.countDown();
  }

  @Test
  void memberWithoutNameServerIsLoggedAndLeftOutInTime() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      LogLines lines = new LogLines(QuietHazelcast.class)) {
      long start = System.nanoTime();
      Config config = QuietHazelcast.named("orders", "localhost", 5701,
        List.of("silent:5701", "unknown:5701", "there:" + other.getLocalPort()), lookup);
      assertTrue(System.nanoTime() - start < Duration.ofSeconds(20).toNanos(), "the start is delayed");
      assertEquals(List.of("127.0.0.1:" + other.getLocalPort()), config.getNetworkConfig().getJoin().getTcpIpConfig().getMembers());
      assertEquals(List.of("cannot find member silent:5701 of the cluster: no name server answered within 2000 ms. It may join later",
        "cannot find member unknown:5701 of the cluster: there is no host of that name. It may join later"), lines.lines());
    }
  }

  @Test
  void ownHostWithoutNameServerFailsInTime() {
    UnknownHostException failure = assertThrows(UnknownHostException.class,
      () -> QuietHazelcast.named("orders", "silent", 5701, List.of("silent:5701"), lookup));
    assertEquals("cannot find the address of this member's host 'silent': no name server answered within 2000 ms. Give this member a host"
      + " name or address that the other members can reach", failure.getMessage());
  }
}
