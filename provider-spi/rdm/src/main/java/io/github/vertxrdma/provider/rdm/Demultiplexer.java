package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.base.FileMemory;
import io.github.vertxrdma.base.MemoryFaultException;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.MemorySegment;

/** Turns completions of the {@link RdmEndpoint} into completions of connections, and handles {@link ControlMessage}s. */
final class Demultiplexer {
  private final ConnectedQueue queue;
  private final RdmConnections connections;
  /** Copy of the beginning of a message in memory that is mapped from a file. */
  private final MemorySegment beginning = MemorySegment.ofArray(new byte[ControlMessage.MAX_SIZE]);
  /** True after a message of an unknown connection was lost: a connection may miss a sequence number. */
  private boolean lost;

  Demultiplexer(ConnectedQueue queue) {
    this.queue = queue;
    connections = queue.connections;
  }

  /** Converts the completions of a batch. An exception of one of them is thrown after the others were converted. */
  void translate(CompletionBatch batch) {
    int kept = 0;
    RuntimeException thrown = null;
    for (int i = 0, n = batch.size(); i < n; i++) {
      try {
        if (translate(batch, i)) {
          if (kept != i) {
            batch.move(i, kept);
          }
          kept++;
        }
      } catch (RuntimeException e) {
        thrown = e;
      }
    }
    batch.cut(kept);
    if (thrown != null) {
      throw thrown;
    }
  }

  private boolean translate(CompletionBatch batch, int i) {
    long requestId = batch.requestId(i);
    if (SharedReceives.isReceive(requestId)) {
      SharedReceives receives = queue.receives;
      int slot = receives == null ? -1 : receives.slot(requestId);
      return slot >= 0 && received(batch, i, receives, slot);
    }
    SharedEndpoint shared = queue.endpoints.current;
    SendTable sends = shared == null ? null : shared.sends;
    int index = sends == null ? -1 : sends.index(requestId);
    if (index < 0) {
      return silentFailed(batch, i, SendTable.silentTag(requestId));
    }
    ControlSender.Outgoing control = sends.controls[index];
    if (control == null) {
      return sent(batch, i, shared, index);
    }
    sends.release(index);
    shared.control.completed(control, batch, i);
    return false;
  }

  private boolean silentFailed(CompletionBatch batch, int i, int tag) {
    RdmConnection connection = connections.tagged(tag);
    if (connection == null || batch.status(i) == Status.OK) {
      return false;
    }
    connection.endpoint.failed(batch, i);
    batch.set(i, -1, connection.endpoint, 0);
    return true;
  }

  private boolean sent(CompletionBatch batch, int i, SharedEndpoint shared, int index) {
    SendTable sends = shared.sends;
    ConnectedEndpoint endpoint = sends.endpoints[index];
    if (!shared.order.isNext(endpoint, index, batch.status(i) != Status.OK)) {
      return false;
    }
    long userId = sends.userIds[index];
    Operation operation = sends.operation(index);
    boolean tell = sends.signalled(index) || batch.status(i) != Status.OK;
    sends.release(index);
    if (batch.status(i) != Status.OK) {
      endpoint.failed(batch, i);
    }
    endpoint.completed(operation);
    batch.set(i, userId, endpoint, 0);
    return tell;
  }

  private boolean received(CompletionBatch batch, int i, SharedReceives receives, int slot) {
    int status = batch.status(i);
    MemorySegment segment = receives.regions[slot].segment();
    long offset = receives.offsets[slot];
    if (batch.operation(i) == Operation.REMOTE_WRITE && status == Status.OK) {
      // A write with immediate, which no peer of this version posts.
      receives.repost(slot);
      return false;
    }
    if (segment.isMapped() && (status == Status.OK || status == Status.LENGTH)) {
      if (!copyBeginning(segment, offset, receives.lengths[slot])) {
        batch.error(i, Status.LOCAL_PROTECTION, "the file behind the memory of the receive was truncated");
        return lostMessage(batch, i, receives, slot);
      }
      segment = beginning;
      offset = 0;
    }
    if (status != Status.OK) {
      return receiveFailed(batch, i, receives, slot, segment, offset);
    }
    long length = batch.length(i);
    long word = ControlMessage.word(segment, offset);
    if (length < RdmLayer.PREFIX || !ControlMessage.isData(word)) {
      ControlMessage message = ControlMessage.decode(segment, offset, length);
      receives.repost(slot);
      if (message != null) {
        connections.handle(message);
      }
      return false;
    }
    long id = ControlMessage.connectionId(segment, offset);
    RdmConnection connection = connections.find(ControlMessage.tag(word), id);
    if (connection == null) {
      receives.repost(slot);
      connections.stray(MessageType.DATA, id, null);
      return false;
    }
    if (ControlMessage.version(word) != connection.version) {
      receives.repost(slot);
      return false;
    }
    if (connection.state != RdmConnectionState.ESTABLISHED && !connection.reactTo(MessageType.DATA, null)) {
      receives.repost(slot);
      return false;
    }
    if (!inOrder(connection, receives, slot, ControlMessage.sequence(word), batch, i)) {
      return false;
    }
    batch.set(i, receives.userIds[slot], connection.endpoint, length);
    receives.release(slot);
    return true;
  }

  private boolean copyBeginning(MemorySegment segment, long offset, int length) {
    try {
      FileMemory.copy(segment, offset, beginning, 0, Math.min(length, ControlMessage.MAX_SIZE));
      return true;
    } catch (MemoryFaultException e) {
      return false;
    }
  }

  /** Returns whether a message is the next one. Holds a later one. Ends the connection if the sequence number is impossible. */
  private boolean inOrder(RdmConnection connection, SharedReceives receives, int slot, int sequence, CompletionBatch batch, int i) {
    int ahead = sequence - connection.expected;
    if (ahead == 0 && connection.ready == 0) {
      connection.advance();
      return true;
    }
    if (!connection.mayBeAhead(ahead) || !queue.reorder.hold(connection, slot, sequence, batch, i)) {
      receives.repost(slot);
      connection.outOfSequence(sequence);
    } else if (ahead == 0) {
      connection.advanceHeld();
    } else if (lost) {
      connection.watchGap();
    }
    return false;
  }

  /** Returns a failed receive to the application. Posts a flushed receive again, since applications expect it only after a close. */
  private boolean receiveFailed(CompletionBatch batch, int i, SharedReceives receives, int slot, MemorySegment segment, long offset) {
    int status = batch.status(i);
    if (status == Status.FLUSHED || status == Status.CANCELLED) {
      receives.repost(slot);
      return false;
    }
    RdmConnection connection = status != Status.LENGTH ? null
      : connections.find(ControlMessage.tag(ControlMessage.word(segment, offset)), ControlMessage.connectionId(segment, offset));
    if (connection == null && status == Status.LENGTH) {
      return lostMessage(batch, i, receives, slot);
    }
    if (connection != null) {
      connection.tooLong();
    }
    batch.set(i, receives.userIds[slot], connection == null ? null : connection.endpoint, batch.length(i));
    receives.release(slot);
    return true;
  }

  /**
   * Returns the receive of a lost message to the application. The connection of the message is unknown: the one that later misses a message
   * ends.
   */
  private boolean lostMessage(CompletionBatch batch, int i, SharedReceives receives, int slot) {
    if (!lost) {
      lost = true;
      connections.watchGaps();
    }
    batch.set(i, receives.userIds[slot], null, batch.length(i));
    receives.release(slot);
    return true;
  }
}
