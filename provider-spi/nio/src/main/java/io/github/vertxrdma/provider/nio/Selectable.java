package io.github.vertxrdma.provider.nio;

import java.nio.channels.SelectionKey;

/** What a key of a completion queue's selector is attached to. */
interface Selectable {

  /** The channel is ready for what the key says. */
  void ready(SelectionKey key);
}
