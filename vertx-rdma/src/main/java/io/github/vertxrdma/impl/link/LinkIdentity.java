package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.directory.NodeEntry;
import java.util.function.Supplier;

/**
 * Who this side is and how it proves it.
 *
 * @param self this node in the directory; asked for each link, since a rejoin changes its epoch
 * @param handshake its proofs
 */
public record LinkIdentity(Supplier<NodeEntry> self, Handshake handshake) {

  Greeting greeting(DeviceLoop loop, Grant grant, String service, byte[] data, byte[] proof) {
    LinkOptions options = loop.options;
    NodeEntry me = self.get();
    return new Greeting(proof, me.nodeId(), me.epoch(), me.controlHost(), me.controlPort(), service, options.bufferSize(), grant.data(),
      grant.control(), options.maxMessageSize(), loop.doorbell(), data);
  }
}
