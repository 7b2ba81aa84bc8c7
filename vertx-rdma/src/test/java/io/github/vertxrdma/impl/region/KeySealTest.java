package io.github.vertxrdma.impl.region;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.SealedKey;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KeySealTest {
  private final KeySeal seal = new KeySeal(ClusterSecret.of("the same on all nodes".getBytes()));
  private final RegionEntry entry = entry("table", "a", 1, 5, 0);
  private final RegionToken key = new RegionToken(-4096, 1L << 40, new byte[] {9, 8, 7, 6});

  private static RegionEntry entry(String name, String node, long epoch, long id, int generation) {
    return new RegionEntry(name, node, epoch, id, 1L << 40, Set.of(RegionAccess.READ), generation, RegionEntry.NONE, List.of());
  }

  private void refused(RegionEntry as, SealedKey sealed) {
    RdmaException e = assertThrows(RdmaException.class, () -> seal.unseal(as, sealed));
    assertEquals(RdmaException.Reason.NOT_AUTHENTIC, e.reason());
    assertTrue(e.getMessage().contains("'" + as.name() + "'"), e.getMessage());
  }

  @Test
  void opensInItsOwnEntry() {
    SealedKey sealed = seal.seal(entry, "tcp", key);
    assertEquals(key, seal.unseal(entry.withKeys(0, List.of(sealed)), sealed));
    assertNotEquals(sealed, seal.seal(entry, "tcp", key), "the nonce is random");
    RegionToken longKey = new RegionToken(0, 1, new byte[300]);
    assertEquals(longKey, seal.unseal(entry, seal.seal(entry, "raw", longKey)));
    assertEquals("token of 1099511627776 bytes", key.toString());
  }

  @Test
  void opensNowhereElse() {
    SealedKey sealed = seal.seal(entry, "tcp", key);
    refused(entry("other", "a", 1, 5, 0), sealed);
    refused(entry("table", "b", 1, 5, 0), sealed);
    refused(entry("table", "a", 2, 5, 0), sealed);
    refused(entry("table", "a", 1, 6, 0), sealed);
    refused(entry("table", "a", 1, 5, 1), sealed);
    refused(entry, new SealedKey("shm", sealed.bytes()));
  }

  @Test
  void everyBitCounts() {
    byte[] bytes = seal.seal(entry, "tcp", key).bytes();
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] changed = bytes.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      refused(entry, new SealedKey("tcp", changed));
    }
    refused(entry, new SealedKey("tcp", new byte[0]));
    refused(entry, new SealedKey("tcp", new byte[20]));
  }

  @Test
  void anotherSecretOpensNothing() {
    SealedKey sealed = new KeySeal(ClusterSecret.of("another one, elsewhere".getBytes())).seal(entry, "tcp", key);
    refused(entry, sealed);
  }
}
