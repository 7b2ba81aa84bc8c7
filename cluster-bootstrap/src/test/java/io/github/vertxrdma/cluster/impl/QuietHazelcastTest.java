package io.github.vertxrdma.cluster.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.hazelcast.config.Config;
import io.github.vertxrdma.provider.contract.LogLines;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class QuietHazelcastTest {
  /** A name server that does not answer takes 30 s by the system's resolver. */
  @Test
  void memberWithoutNameServerIsLoggedAndLeftOutInTime() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    QuietHazelcast.Lookup lookup = new QuietHazelcast.Lookup(host -> {
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
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      LogLines lines = new LogLines(QuietHazelcast.class)) {
      long start = System.nanoTime();
      Config config = QuietHazelcast.named("orders", new InetSocketAddress(InetAddress.getLoopbackAddress(), 5701),
        List.of("silent:5701", "unknown:5701", "there:" + other.getLocalPort()), lookup);
      assertTrue(System.nanoTime() - start < Duration.ofSeconds(20).toNanos(), "the start is delayed");
      assertEquals(List.of("127.0.0.1:" + other.getLocalPort()), config.getNetworkConfig().getJoin().getTcpIpConfig().getMembers());
      assertEquals(List.of("cannot find member silent:5701 of the cluster: no name server answers within 2000 ms. It may join later",
        "cannot find member unknown:5701 of the cluster: there is no host of that name yet. It may join later"), lines.lines());
    } finally {
      never.countDown();
    }
  }
}
