package io.github.vertxrdma.impl.link;

import java.util.function.LongSupplier;

/**
 * Who this side is and how it proves it.
 *
 * @param nodeId id in the directory
 * @param epoch which run of it; asked for each link, since a rejoin changes it
 * @param handshake its proofs
 */
public record LinkIdentity(String nodeId, LongSupplier epoch, Handshake handshake) {

  Greeting greeting(DeviceLoop loop, Grant grant, String service, byte[] data, byte[] proof) {
    LinkOptions options = loop.options;
    return new Greeting(proof, nodeId, epoch.getAsLong(), service, options.bufferSize(), grant.data(), grant.control(),
      options.maxMessageSize(), loop.doorbell(), data);
  }
}
