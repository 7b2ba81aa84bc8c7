package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.contract.HeaderProbe;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Compares offsets, sizes, constants, and the order of enum ibv_wc_status, with the installed headers. */
class LayoutTest {

  @Test
  @Timeout(120)
  void verbs() {
    HeaderProbe.check(VerbsLayout.HEADER.headers(), VerbsLayout.HEADER.expected());
  }

  @Test
  @Timeout(120)
  void connectionManager() {
    HeaderProbe.check(CmLayout.HEADER.headers(), CmLayout.HEADER.expected());
    HeaderProbe.check(SocketAddresses.HEADER.headers(), SocketAddresses.HEADER.expected());
  }

  /** Compares the names and numbers of all elements before one of the enum with constants of a header. */
  private static void assertKnown(String header, String prefix, Enum<?>[] all, Enum<?> end, int count) {
    List<String> names = Stream.of(all).limit(end.ordinal()).map(each -> prefix + each).toList();
    Map<String, Long> values = HeaderProbe.evaluate(List.of(header), names);
    for (int i = 0; i < names.size(); i++) {
      assertEquals(i, values.get(names.get(i)), names.get(i));
    }
    assertEquals(count, names.size());
  }

  @Test
  @Timeout(120)
  void everyEventOfTheConnectionManagerIsKnown() {
    assertKnown("rdma/rdma_cma.h", "RDMA_CM_EVENT_", CmEvent.Type.values(), CmEvent.Type.UNKNOWN, 16);
  }

  @Test
  @Timeout(120)
  void everyAsyncEventIsKnown() {
    assertKnown("infiniband/verbs.h", "IBV_EVENT_", AsyncEvent.values(), AsyncEvent.UNKNOWN, 20);
  }

  @Test
  @Timeout(120)
  void everyStatusIsKnown() {
    assertKnown("infiniband/verbs.h", "IBV_WC_", WorkStatus.values(), WorkStatus.RECEIVE_TOO_SHORT, 24);
  }
}
