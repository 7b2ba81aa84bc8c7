package io.github.vertxrdma.impl.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Reasons of an application for each status of an operation, and for each end of an endpoint. */
class ReasonsTest {

  @Test
  void eachStatusHasTheReasonThatSaysWhetherItMayHaveTakenEffect() throws IllegalAccessException {
    Map<String, Reason> reasons = new TreeMap<>();
    for (Field field : Status.class.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == int.class) {
        reasons.put(field.getName(), Reasons.of(field.getInt(null)));
      }
    }
    reasons.keySet().removeAll(Arrays.asList("OK", "AGAIN", "DONE"));
    assertEquals(new TreeMap<>(Map.ofEntries(
      // Statuses of refused posts.
      Map.entry("NOT_CONNECTED", Reason.CONNECTION_LOST),
      Map.entry("UNSUPPORTED", Reason.UNSUPPORTED),
      Map.entry("LOCAL_RANGE", Reason.OTHER),
      Map.entry("REMOTE_RANGE", Reason.OUT_OF_RANGE),
      Map.entry("LIMIT", Reason.LIMIT),
      Map.entry("FAILED", Reason.OTHER),
      // Statuses for missing rights to memory.
      Map.entry("REMOTE_ACCESS", Reason.ACCESS_DENIED),
      Map.entry("LOCAL_PROTECTION", Reason.ACCESS_DENIED),
      // Statuses after which the connection has ended, and the operation may have taken effect.
      Map.entry("FLUSHED", Reason.CONNECTION_LOST),
      Map.entry("REMOTE_OPERATION", Reason.CONNECTION_LOST),
      Map.entry("LENGTH", Reason.CONNECTION_LOST),
      Map.entry("RETRY_EXCEEDED", Reason.CONNECTION_LOST),
      Map.entry("RNR_EXCEEDED", Reason.CONNECTION_LOST),
      Map.entry("CONNECTION_LOST", Reason.CONNECTION_LOST),
      Map.entry("CANCELLED", Reason.CONNECTION_LOST),
      Map.entry("OTHER", Reason.CONNECTION_LOST))), reasons);
  }

  @Test
  void eachEndHasAReason() {
    Map<ProviderException.Reason, Reason> reasons = new TreeMap<>(Arrays.stream(ProviderException.Reason.values())
      .collect(Collectors.toMap(reason -> reason, Reasons::ofEnd)));
    Map<ProviderException.Reason, Reason> expected = new TreeMap<>(reasons);
    expected.replaceAll((why, told) -> Reason.CONNECTION_LOST);
    expected.put(ProviderException.Reason.REJECTED, Reason.REJECTED);
    expected.put(ProviderException.Reason.REFUSED, Reason.UNREACHABLE);
    expected.put(ProviderException.Reason.UNREACHABLE, Reason.UNREACHABLE);
    expected.put(ProviderException.Reason.TIMEOUT, Reason.UNREACHABLE);
    expected.put(ProviderException.Reason.LIMIT, Reason.LIMIT);
    expected.put(ProviderException.Reason.UNSUPPORTED, Reason.UNSUPPORTED);
    assertEquals(expected, reasons);
  }
}
