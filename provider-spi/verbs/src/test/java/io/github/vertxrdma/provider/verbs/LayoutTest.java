package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.contract.HeaderProbe;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import java.util.List;
import java.util.Map;
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

  @Test
  @Timeout(120)
  void everyEventOfTheConnectionManagerIsKnown() {
    List<String> names = List.of(CmEvent.Type.values()).subList(0, CmEvent.Type.UNKNOWN.ordinal()).stream().map(e -> "RDMA_CM_EVENT_" + e)
      .toList();
    Map<String, Long> values = HeaderProbe.evaluate(List.of("rdma/rdma_cma.h"), names);
    for (int i = 0; i < names.size(); i++) {
      assertEquals(i, values.get(names.get(i)), names.get(i));
    }
    assertEquals(16, names.size());
  }

  @Test
  @Timeout(120)
  void everyAsyncEventIsKnown() {
    List<String> names = List.of(AsyncEvent.values()).subList(0, AsyncEvent.UNKNOWN.ordinal()).stream().map(e -> "IBV_EVENT_" + e).toList();
    Map<String, Long> values = HeaderProbe.evaluate(List.of("infiniband/verbs.h"), names);
    for (int i = 0; i < names.size(); i++) {
      assertEquals(i, values.get(names.get(i)), names.get(i));
    }
    assertEquals(20, names.size());
  }

  @Test
  @Timeout(120)
  void everyStatusIsKnown() {
    List<String> names = List.of(WorkStatus.values()).subList(0, WorkStatus.RECEIVE_TOO_SHORT.ordinal()).stream().map(s -> "IBV_WC_" + s)
      .toList();
    Map<String, Long> values = HeaderProbe.evaluate(List.of("infiniband/verbs.h"), names);
    for (int i = 0; i < names.size(); i++) {
      assertEquals(i, values.get(names.get(i)), names.get(i));
    }
    assertEquals(24, names.size());
  }
}
