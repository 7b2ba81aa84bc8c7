package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.provider.ProviderException;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;

class SelectorSleeperTest {
  @Test
  void creationFailsAndClosesTheSelectorWhenNoThreadStarts() throws Exception {
    Selector selector = Selector.open();
    ProviderException failure = assertThrows(ProviderException.class, () -> new SelectorSleeper(selector, task -> new Thread(task) {
      @Override
      public void start() {
        throw new OutOfMemoryError("unable to create native thread");
      }
    }));
    assertEquals(ProviderException.Reason.LIMIT, failure.reason());
    assertFalse(selector.isOpen());
  }
}
