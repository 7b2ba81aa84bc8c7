package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.RegionFrames;
import io.github.vertxrdma.impl.region.Effect;
import io.github.vertxrdma.impl.region.HolderState;
import io.github.vertxrdma.impl.region.OwnerState;
import io.github.vertxrdma.provider.contract.plants.Plant;
import io.github.vertxrdma.provider.contract.plants.PlantLoader;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the cells of the tables of regions that conversations reach. Counted where the product looks into the tables, in classes that
 * {@link PlantLoader} loads.
 */
public final class RegionCells {
  private static final int[] OF_HOLDERS = {RegionFrames.NOTIFY, RegionFrames.READ_DONE, RegionFrames.ATOMIC, RegionFrames.WRITE_NOTIFY,
    RegionFrames.CLOSE};
  private static final int[] OF_OWNERS = {RegionFrames.REVOKE, RegionFrames.REKEY};
  private static final Map<String, LongAdder> COUNTS = new ConcurrentSkipListMap<>();

  private RegionCells() {
  }

  static List<Plant> watched() {
    return List.of(new Plant("frames of holders", "impl.region.OwnerSide.frame", "of", RegionCells::count),
      new Plant("frames of owners", "impl.region.HolderSide.isExecuted", "of", RegionCells::count));
  }

  private static void count(CodeBuilder code, InvokeInstruction call) {
    code.dup2().invokestatic(ClassDesc.of(RegionCells.class.getName()), "reached",
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object, ConstantDescs.CD_int)).with(call);
  }

  private static String cell(Object state, int type) {
    return (state instanceof OwnerState ? "owner " : "holder ") + state + ' ' + RegionFrames.name(type);
  }

  public static void reached(Object state, int type) {
    COUNTS.computeIfAbsent(cell(state, type), cell -> new LongAdder()).increment();
  }

  /** Returns the cells that correct peers can reach, with their counts. The count of a cell that was not reached is 0. */
  public static Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    for (OwnerState state : OwnerState.values()) {
      for (int type : OF_HOLDERS) {
        add(counts, cell(state, type), state.of(type));
      }
    }
    for (HolderState state : HolderState.values()) {
      for (int type : OF_OWNERS) {
        add(counts, cell(state, type), state.of(type));
      }
    }
    return counts;
  }

  /** Returns whether a cell is reached only by chance, since it needs two events at the same moment. RegionStatesTest covers all cells. */
  static boolean isRare(String cell) {
    return cell.startsWith("owner NONE") || cell.startsWith("owner REKEYING") || cell.startsWith("owner OFFERED")
      || cell.startsWith("holder REKEYING") || cell.endsWith("REKEY");
  }

  private static void add(Map<String, Long> counts, String cell, Effect effect) {
    if (effect != Effect.VIOLATION) {
      counts.put(cell, COUNTS.containsKey(cell) ? COUNTS.get(cell).sum() : 0);
    }
  }
}
