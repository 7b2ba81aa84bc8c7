package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOffer;
import io.github.vertxrdma.RdmaOfferOptions;
import io.github.vertxrdma.impl.node.ExchangedEnd;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import java.util.function.Supplier;

final class RdmaOfferImpl implements RdmaOffer {
  private final Node node;
  private final ContextInternal context;
  private final ExchangedEnd end;
  private final RdmaOfferOptions options;
  private final ClosingScope opened;
  private final Supplier<Future<Void>> closer = this::close;

  private RdmaOfferImpl(Node node, ContextInternal context, ExchangedEnd end, RdmaOfferOptions options, ClosingScope opened) {
    this.node = node;
    this.context = context;
    this.end = end;
    this.options = options;
    this.opened = opened;
    opened.add(closer);
  }

  /** @param forced fabric or device; null for the best one */
  public static Future<RdmaOffer> open(Node node, ContextInternal context, RdmaOfferOptions options, String forced, ClosingScope opened) {
    return ExchangedEnd.open(node, context, forced, (int) options.getPeerTimeout().toMillis())
      .map(end -> new RdmaOfferImpl(node, context, end, options, opened));
  }

  @Override
  public Buffer token() {
    return Buffer.buffer(end.description());
  }

  @Override
  public Future<RdmaConnection> connect(Buffer peer) {
    Future<RdmaConnection> connected = end.connect(peer.getBytes(), RequestFrame.offer(options.getPrivateData().getBytes()),
      (link, choice) -> {
        forget();
        return new RdmaConnectionImpl(context, link, choice, node, opened);
      });
    connected.onFailure(cause -> {
      if (end.hasFailed()) {
        forget();
      }
    });
    return LoopCall.result(node.vertx().getOrCreateContext(), connected);
  }

  @Override
  public FabricChoice fabric() {
    return end.choice();
  }

  @Override
  public Future<Void> close() {
    forget();
    Future<Void> closed = end.close();
    return LoopCall.result(node.vertx().getOrCreateContext(), closed);
  }

  private void forget() {
    opened.remove(closer);
  }
}
