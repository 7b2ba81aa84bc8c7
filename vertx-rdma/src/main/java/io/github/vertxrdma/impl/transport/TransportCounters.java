package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.node.TcpReason;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

public final class TransportCounters {
  public static final TransportCounters PROCESS = new TransportCounters();

  final LongAdder connected = new LongAdder();
  final LongAdder accepted = new LongAdder();
  private final Map<TcpReason, LongAdder> tookTcp = new ConcurrentSkipListMap<>();
  final LongAdder byTcp = new LongAdder();
  final LongAdder sent = new LongAdder();
  final LongAdder received = new LongAdder();

  private TransportCounters() {
  }

  void tookTcp(TcpReason reason) {
    tookTcp.computeIfAbsent(reason, each -> new LongAdder()).increment();
  }

  public long channels() {
    return connected.sum() + accepted.sum();
  }

  public long bytes() {
    return sent.sum() + received.sum();
  }

  public long fallbacks() {
    return tookTcp.entrySet().stream().filter(each -> each.getKey().isFallback()).mapToLong(each -> each.getValue().sum()).sum();
  }

  private String reasons() {
    String reasons = tookTcp.entrySet().stream().filter(each -> each.getKey().isFallback())
      .map(each -> each.getKey().label() + ' ' + each.getValue().sum()).collect(Collectors.joining(", "));
    return reasons.isEmpty() ? "" : " (" + reasons + ')';
  }

  @Override
  public String toString() {
    return "fabric: " + connected.sum() + " channels connected, " + accepted.sum() + " accepted, " + sent.sum() + " bytes sent, "
      + received.sum() + " received, " + fallbacks() + " used TCP in place of a fabric" + reasons() + "; servers on the fabric accepted "
      + byTcp.sum() + " by TCP";
  }
}
