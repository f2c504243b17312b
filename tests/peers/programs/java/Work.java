// Threads that allocate, map native memory, compress and load classes under one collector.
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

public class Work {
    static String once(int seed) throws Exception {
        Map<String, List<Integer>> map = new HashMap<>();
        int state = seed;
        for (int i = 0; i < 400000; ++i) {
            state = state * 1664525 + 1013904223;
            List<Integer> list = map.computeIfAbsent("k" + Integer.remainderUnsigned(state, 9000), k -> new ArrayList<>());
            list.add(i);
            if (list.size() > 30) list.clear();
        }
        byte[] text = new TreeMap<>(map).toString().getBytes();
        byte[] packed = new byte[text.length + 1000], again = new byte[text.length];
        Deflater deflater = new Deflater();
        deflater.setInput(text);
        deflater.finish();
        int length = deflater.deflate(packed);
        deflater.end();
        Inflater inflater = new Inflater();
        inflater.setInput(packed, 0, length);
        inflater.inflate(again);
        inflater.end();
        long direct = 0;
        for (int i = 1; i < 300; ++i) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(i * 300);
            buffer.putInt(i * 299 - 3, i);
            direct += buffer.getInt(i * 299 - 3);
        }
        String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(again));
        return seed + " " + map.size() + " " + direct + " " + digest;
    }

    public static void main(String[] arguments) throws Exception {
        var pool = Executors.newFixedThreadPool(6, work -> {
            Thread thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
        });
        List<Callable<String>> tasks = new ArrayList<>();
        for (int i = 0; i < 12; ++i) {
            int seed = i;
            tasks.add(() -> once(seed));
        }
        for (var done : pool.invokeAll(tasks)) System.out.println(done.get());
        pool.shutdown();
        System.gc();
        System.out.println(String.join(",", new java.util.TreeSet<>(List.of("end", "of", "work"))));
    }
}
