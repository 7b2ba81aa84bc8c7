package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PiecesTest {

  private static byte[] carried(byte[] sent, int size) {
    assertTrue(sent.length <= size, sent.length + " bytes");
    return Arrays.copyOf(sent, size);
  }

  @Test
  void privateDataKeepsItsLengthInMessagesOfFixedSize() {
    Random random = new Random(1);
    for (int length = 0; length <= CmPrivateData.MOST; length++) {
      for (int last : new int[] {0, 0x80, 0xff, 1}) {
        byte[] data = new byte[length];
        random.nextBytes(data);
        if (length > 0) {
          data[length - 1] = (byte) last;
        }
        assertArrayEquals(data, CmPrivateData.received(carried(CmPrivateData.sent(data, false), CmPrivateData.MOST + 1), false));
        assertArrayEquals(data, CmPrivateData.received(carried(CmPrivateData.sent(data, false), 148), false));
        assertArrayEquals(data, CmPrivateData.received(CmPrivateData.sent(data, true), true));
      }
    }
  }

  @Test
  void privateDataOfOtherProgramsLosesItsZerosOnly() {
    assertArrayEquals(new byte[] {1, 0, 2}, CmPrivateData.received(new byte[] {1, 0, 2, 0, 0, 0}, false));
    assertEquals(0, CmPrivateData.received(new byte[56], false).length);
  }

  @Test
  void settingsAreCheckedAndNamed() {
    EndpointSettings defaults = EndpointSettings.of(Map.of());
    assertEquals(6, defaults.retries());
    assertEquals(6, defaults.rnrRetries());
    assertEquals(3, defaults.mtuCode(3));
    EndpointSettings given = EndpointSettings.of(Map.of("verbs.path-mtu", "1024", "verbs.traffic-class", "0x68"));
    assertEquals(3, given.mtuCode(5));
    assertEquals(0x68, given.trafficClass());
    assertEquals(19, defaults.timeout(10_000));
    assertEquals(20, defaults.timeout(30_000));
    assertEquals(22, EndpointSettings.of(Map.of("verbs.timeout", "22")).timeout(10_000));
    for (var wrong : Map.of("verbs.retry", "8", "verbs.path-mtu", "much", "verbs.service-level", "-1").entrySet()) {
      ProviderException refused = assertThrows(ProviderException.class,
        () -> EndpointSettings.of(Map.of(wrong.getKey(), wrong.getValue())));
      assertEquals(ProviderException.Reason.INVALID, refused.reason());
      assertTrue(refused.getMessage().contains(wrong.getKey()) && refused.getMessage().contains(wrong.getValue()), refused.getMessage());
    }
  }

  @Test
  void everyAsyncEventSaysWhatItMeans() {
    for (int type = 0; type < 20; type++) {
      assertEquals(type, AsyncEvent.of(type).ordinal());
      assertTrue(AsyncEvent.of(type).words.length() > 10);
    }
    assertSame(AsyncEvent.UNKNOWN, AsyncEvent.of(20));
    assertSame(AsyncEvent.UNKNOWN, AsyncEvent.of(-1));
  }

  @Test
  void aQueuePairsAddressSurvivesItsBytes() {
    QueuePairAddress address = new QueuePairAddress(VerbsLayout.LINK_ETHERNET, false, VerbsLayout.GID_TYPE_ROCE_V2,
      HexFormat.of().parseHex("00000000000000000000ffff0a090101"), 0xfffe, 0xabcdef, 0x123456, 0xffff, 3, 255);
    QueuePairAddress read = QueuePairAddress.decode(address.encode());
    assertArrayEquals(address.gid(), read.gid());
    assertArrayEquals(address.encode(), read.encode());
    byte[] newer = address.encode();
    newer[0] = 99;
    newer[1] = 99;
    assertTrue(assertThrows(ProviderException.class, () -> QueuePairAddress.decode(newer)).getMessage().contains("version 99"));
    assertThrows(ProviderException.class, () -> QueuePairAddress.decode(new byte[] {2, 2}));
  }

  private static final class Tagged implements Owners.Owner {
    private int tag;

    @Override
    public int tag() {
      return tag;
    }
  }

  @Test
  void lateCompletionsOfAClosedQueuePairAreDropped() {
    Owners owners = new Owners();
    Tagged first = new Tagged();
    first.tag = owners.add(first);
    long late = (long) first.tag << 32 | Owners.RECEIVE | 5;
    assertSame(first, owners.find(late));
    owners.remove(first.tag);
    assertNull(owners.find(late));
    Tagged second = new Tagged();
    second.tag = owners.add(second);
    assertNotEquals(first.tag, second.tag);
    assertNull(owners.find(late));
    assertSame(second, owners.find((long) second.tag << 32));
    for (int i = 0; i < 100; i++) {
      Tagged more = new Tagged();
      more.tag = owners.add(more);
      assertSame(more, owners.find((long) more.tag << 32 | 77));
    }
    assertSame(second, owners.find((long) second.tag << 32));
  }

  @Test
  void everyStatusHasAName() {
    for (int status = 0; status < 24; status++) {
      WorkStatus known = WorkStatus.of(status);
      assertEquals(status, known.ordinal());
      assertTrue(known.describe(status, 0x88).startsWith("IBV_WC_" + known + " (" + status + ", vendor 0x88): "));
      assertEquals(status == 0, known.status == Status.OK);
    }
    assertSame(WorkStatus.GENERAL_ERR, WorkStatus.of(77));
    assertSame(WorkStatus.RECEIVE_TOO_SHORT, WorkStatus.of(2, true, false));
    assertSame(WorkStatus.STREAM_BROKEN, WorkStatus.of(2, false, true));
    assertSame(WorkStatus.LOC_QP_OP_ERR, WorkStatus.of(2, false, false));
  }

  @Test
  void aMissingLibraryIsNamedWithItsRemedy() {
    Discovery discovery = new VerbsProvider().discover(new DiscoveryOptions(null, Map.of("verbs.libibverbs", "/no/such/libibverbs.so.1")));
    assertTrue(discovery.devices().isEmpty());
    String said = discovery.unavailable().getFirst().toString();
    assertTrue(said.contains("/no/such/libibverbs.so.1") && said.contains("verbs.libibverbs"), said);
  }

  @Test
  void aMachineWithoutDevicesSaysSo() {
    assumeTrue(Files.notExists(Path.of("/sys/class/infiniband")), "this machine has devices");
    String library = System.clearProperty(TestDevices.LIBRARY);
    String said;
    try {
      said = new VerbsProvider().discover(new DiscoveryOptions()).unavailable().toString();
    } finally {
      if (library != null) {
        System.setProperty(TestDevices.LIBRARY, library);
      }
    }
    assertTrue(said.contains("rdma link add siw0 type siw") && said.contains("--device /dev/infiniband"), said);
  }

  @Test
  void discoveryNeverThrows() {
    Discovery discovery = new VerbsProvider().discover(new DiscoveryOptions(null, Map.of("verbs.device", "no_such_device")));
    assertTrue(discovery.devices().isEmpty());
    assertNotNull(discovery.unavailable());
  }
}
