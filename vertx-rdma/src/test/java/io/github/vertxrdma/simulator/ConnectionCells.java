package io.github.vertxrdma.simulator;

import io.github.vertxrdma.provider.contract.plants.Plant;
import io.github.vertxrdma.provider.contract.plants.PlantLoader;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the cells of the table of connections over connectionless endpoints that conversations reach. Used in classes that {@link
 * PlantLoader} loads, since the table is internal to the layer.
 */
public final class ConnectionCells {
  private static final ClassDesc HERE = ClassDesc.of(ConnectionCells.class.getName());
  private static final ClassDesc STATE = ClassDesc.of("io.github.vertxrdma.provider.rdm.RdmConnectionState");
  private static final ClassDesc TYPE = ClassDesc.of("io.github.vertxrdma.provider.rdm.MessageType");
  private static final MethodTypeDesc REACHED = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object, ConstantDescs.CD_Object);
  /**
   * States in which messages arrive. The layer keeps nothing of a connection that is ENDED, and does not distinguish it from one that is
   * CLOSED.
   */
  private static final List<String> STATES = List.of("REQ_SENT", "REP_SENT", "ESTABLISHED", "DRAINING", "ENDED");
  private static final List<String> TYPES = List.of("DATA", "REQ", "REP", "REJ", "REFUSE", "RTU", "DREQ", "RESET");
  /** Messages that find no connection in that state: a REQ is for an acceptor that is not ENDED. */
  private static final Set<String> NEVER = Set.of("REQ_SENT REQ", "ENDED REQ");
  private static final Map<String, LongAdder> COUNTS = new ConcurrentSkipListMap<>();

  private ConnectionCells() {
  }

  /** Returns the places to count: lookups in the table, and data that is delivered without one. */
  static List<Plant> watched() {
    return List.of(
      new Plant("reactions", "provider.rdm.RdmConnection.reactTo", "on", ConnectionCells::count),
      new Plant("strays", "provider.rdm.RdmConnections.stray", "on", ConnectionCells::count),
      new Plant("data", "provider.rdm.Demultiplexer.inOrder", "succeeded|mayBeAhead",
        (code, call) -> code.aload(1).getfield(ClassDesc.of("io.github.vertxrdma.provider.rdm.RdmConnection"), "state", STATE)
          .getstatic(TYPE, "DATA", TYPE).invokestatic(HERE, "reached", REACHED).with(call)));
  }

  private static void count(CodeBuilder code, InvokeInstruction call) {
    code.dup2().invokestatic(HERE, "reached", REACHED).with(call);
  }

  public static void reached(Object state, Object type) {
    COUNTS.computeIfAbsent(state + " " + type, cell -> new LongAdder()).increment();
  }

  public static Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    STATES.stream().flatMap(state -> TYPES.stream().map(type -> state + ' ' + type)).filter(cell -> !NEVER.contains(cell))
      .forEach(cell -> counts.put(cell, COUNTS.containsKey(cell) ? COUNTS.get(cell).sum() : 0));
    return counts;
  }
}
