package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.contract.Pair;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChannelSocketsTest implements ConnectionCases, RobustnessCases, StrangerCases, StressCases {

  @Override
  public Device device() {
    return BackEnds.channels();
  }

  @Test
  void anArmedQueueWakesItsOwner() throws Exception {
    try (Pair pair = Pair.connected(device())) {
      Semaphore rung = new Semaphore(0);
      pair.b.queue().wakeupHandler(rung::release);
      for (int i = 0; i < 100; i++) {
        pair.until("safe to sleep", pair.b.queue()::arm);
        assertFalse(rung.tryAcquire());
        pair.a.send(pair.left(), new byte[10], 0);
        assertTrue(rung.tryAcquire(20, TimeUnit.SECONDS));
        pair.message(pair.b);
      }
      assertEquals(0, rung.availablePermits());
    }
  }

  @Test
  void serveWhereNativeAccessIsDenied() throws Exception {
    Process child = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC",
      "--illegal-native-access=deny",
      "-cp", System.getProperty("java.class.path"), DeviceName.class.getName()).redirectErrorStream(true).start();
    try {
      String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, child.waitFor(), said);
      assertEquals(device().toString(), said.strip());
    } finally {
      child.destroyForcibly();
    }
  }

  static final class DeviceName {
    private DeviceName() {
    }

    public static void main(String[] arguments) {
      Device device = new NioProvider().discover(new DiscoveryOptions()).devices().getFirst();
      device.open().close();
      System.out.println(device);
    }
  }
}
