package io.github.vertxrdma.impl.opening;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Grant;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.wire.Greeting;
import java.util.function.Supplier;

/**
 * This side of links: who it is, how it proves it, and who hears of them.
 *
 * @param self this node in the directory; asked for each link, since a rejoin changes its epoch
 * @param handshake its proofs
 * @param watcher hears of its links
 * @param peer id of the node that it connects to; empty if that is not known
 * @param device name of the peer's device; empty if that is not known
 */
public record LinkIdentity(Supplier<NodeEntry> self, Handshake handshake, LinkWatcher watcher, String peer, String device) {

  /** Of links to and from anybody. */
  public LinkIdentity(Supplier<NodeEntry> self, Handshake handshake, LinkWatcher watcher) {
    this(self, handshake, watcher, "", "");
  }

  /** The same for connecting to a device of a peer. */
  public LinkIdentity to(String peer, String device) {
    return new LinkIdentity(self, handshake, watcher, peer, device);
  }

  Greeting greeting(DeviceLoop loop, Grant grant, String service, byte[] data, byte[] proof) {
    NodeEntry me = self.get();
    return new Greeting(proof, me.nodeId(), me.epoch(), me.controlHost(), me.controlPort(), service, loop.options.bufferSize(),
      grant.data(),
      grant.control(), loop.options.maxMessageSize(), loop.wakeAddress(), data, loop.domain.device().name());
  }
}
