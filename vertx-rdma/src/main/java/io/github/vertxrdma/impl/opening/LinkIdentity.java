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
 */
public record LinkIdentity(Supplier<NodeEntry> self, Handshake handshake, LinkWatcher watcher) {

  Greeting greeting(DeviceLoop loop, Grant grant, String service, byte[] data, byte[] proof) {
    NodeEntry me = self.get();
    return new Greeting(proof, me.nodeId(), me.epoch(), me.controlHost(), me.controlPort(), service, loop.options.bufferSize(), grant.data(),
      grant.control(), loop.options.maxMessageSize(), loop.wakeAddress(), data, loop.domain.device().name());
  }
}
