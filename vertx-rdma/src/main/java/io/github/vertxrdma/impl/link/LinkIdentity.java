package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Grant;
import java.util.function.Supplier;

/**
 * Identity of this node and of its peer in the handshake of a link.
 *
 * @param self entry of this node; read for each link, since a rejoin changes its epoch
 * @param peer id of the peer, or empty
 * @param device name of the peer's device, or empty
 */
public record LinkIdentity(Supplier<NodeEntry> self, Handshake handshake, LinkWatcher watcher, String peer, String device) {

  public LinkIdentity(Supplier<NodeEntry> self, Handshake handshake, LinkWatcher watcher) {
    this(self, handshake, watcher, "", "");
  }

  public LinkIdentity to(String peer, String device) {
    return new LinkIdentity(self, handshake, watcher, peer, device);
  }

  Greeting greeting(DeviceLoop loop, Grant grant, String service, byte[] data, byte[] proof) {
    NodeEntry me = self.get();
    return new Greeting(proof, me.nodeId(), me.epoch(), me.controlHost(), me.controlPort(), service, loop.options.bufferSize(),
      grant.data(), grant.control(), loop.options.maxMessageSize(), loop.wakeAddress(), data, loop.domain.device().name());
  }
}
