package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import org.junit.jupiter.api.Test;

/** A process that opens shared-memory endpoints under ever new names remembers so many, and then says why it opens no more. */
class GoneNamesTest {
  private static EndpointAddress name(int number) {
    return EndpointAddress.of("chosen-" + number);
  }

  @Test
  void aNameTooManyIsRefusedAndOneThatWasThereIsNot() {
    GoneNames gone = new GoneNames();
    for (int i = 0; i < 1024; i++) {
      gone.check(name(i));
      gone.add(name(i));
    }
    ProviderException refused = assertThrows(ProviderException.class, () -> gone.check(name(1024)));
    assertEquals(Reason.LIMIT, refused.reason());
    assertTrue(refused.getMessage().startsWith(name(1024) + " cannot be opened: this process has closed 1024 endpoints of names of its own"),
      refused.getMessage());
    gone.check(name(0));
    gone.check(name(1023));
  }
}
