package io.github.vertxrdma.impl.link;

/** Who this side is and how it proves it; one for all links of a node. @param nodeId id in the directory @param epoch which run of it */
public record LinkIdentity(String nodeId, long epoch, Handshake handshake) {

  Greeting greeting(DeviceLoop loop, String service, byte[] data, byte[] proof) {
    LinkOptions options = loop.options;
    return new Greeting(proof, nodeId, epoch, service, options.bufferSize(), options.dataCredits(), options.controlCredits(),
      options.maxMessageSize(), loop.bell(), data);
  }
}
