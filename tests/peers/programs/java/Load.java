import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.*;
import java.util.zip.*;

/** Work for a number of seconds, whose only output is whether all of it came out right. */
public class Load {
  static boolean packs(int seed) throws DataFormatException {
    byte[] plain = new byte[20000 + seed % 5000];
    new Random(seed).nextBytes(plain);
    Arrays.fill(plain, 0, plain.length / 2, (byte) seed);
    Deflater deflater = new Deflater();
    deflater.setInput(plain);
    deflater.finish();
    byte[] packed = new byte[2 * plain.length];
    int length = deflater.deflate(packed);
    deflater.end();
    Inflater inflater = new Inflater();
    inflater.setInput(packed, 0, length);
    byte[] again = new byte[plain.length];
    int count = inflater.inflate(again);
    inflater.end();
    return count == plain.length && Arrays.equals(plain, again);
  }

  static boolean fills(int seed) {
    List<ByteBuffer> buffers = new ArrayList<>();
    for (int i = 1; i < 100; i++) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(i * 331);
      for (int at = 0; at < buffer.capacity(); at++) buffer.put(at, (byte) (seed + i));
      buffers.add(buffer);
    }
    Collections.shuffle(buffers, new Random(seed));
    for (ByteBuffer buffer : buffers) {
      byte first = buffer.get(0);
      for (int at = 0; at < buffer.capacity(); at++) if (buffer.get(at) != first) return false;
    }
    return true;
  }

  static boolean collects(int seed) {
    Map<String, List<Integer>> map = new HashMap<>();
    for (int i = 0; i < 20000; i++) map.computeIfAbsent("k" + (i * 31 + seed) % 997, key -> new LinkedList<>()).add(i);
    return map.values().stream().mapToInt(List::size).sum() == 20000;
  }

  public static void main(String[] given) throws Exception {
    long end = System.nanoTime() + Long.parseLong(given[0]) * 1_000_000_000L;
    int wrong = 0;
    for (int turn = 0; System.nanoTime() < end; turn++) {
      ExecutorService pool = Executors.newFixedThreadPool(8);
      List<Future<Boolean>> parts = new ArrayList<>();
      for (int part = 0; part < 32; part++) {
        int seed = turn * 32 + part;
        parts.add(pool.submit(() -> packs(seed) && fills(seed) && collects(seed)));
      }
      for (Future<Boolean> part : parts) if (!part.get()) wrong++;
      pool.shutdown();
      if (!pool.awaitTermination(1, TimeUnit.MINUTES)) wrong++;
    }
    System.out.println("wrong results: " + wrong);
  }
}
